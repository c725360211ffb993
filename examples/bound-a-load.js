// Loads that strangers ask for: bounded in time and size, public addresses only. What the network
// does wrong is data in the rows; only misuse and an abort throw.
import { loadPage } from 'loadahead';

const page = await loadPage('http://127.0.0.1:9/', {
  refusePrivateAddresses: true,
  timeouts: { pageMs: 5_000 },
  limits: { maxResourceBytes: 2 * 1024 * 1024 }, // and four times that for the page
  signal: AbortSignal.timeout(10_000),
});
console.log(page.resources[0]?.error?.code); // address-refused

try {
  await loadPage('ftp://example.org/');
} catch (error) {
  console.log(error.code); // invalid-url
}
