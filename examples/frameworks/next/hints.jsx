'use client';
// Tells what Next.js' router shows, and lets it prefetch what visitors open next. In app/layout.jsx: <Hints />
import { usePathname, useRouter } from 'next/navigation';
import { useEffect, useRef } from 'react';

export function Hints() {
  const router = useRouter();
  const page = usePathname();
  const from = useRef(page);
  useEffect(() => {
    if (from.current !== page) {
      const shown = { moment: 'shown', page, from: from.current, navigation: 'navigate' };
      navigator.sendBeacon('/prefetch-beacon', JSON.stringify(shown));
      from.current = page;
    }
    fetch(`/next-pages?url=${encodeURIComponent(page)}`)
      .then((response) => response.json())
      .then(({ hints }) => {
        for (const { url } of hints) router.prefetch(url);
      })
      .catch(() => {}); // then nothing is prefetched
  }, [page, router]);
  return null;
}
