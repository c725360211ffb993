import { Hints } from '../hints.jsx';

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        {children}
        <Hints />
      </body>
    </html>
  );
}
