'use client';
// Tells what Next.js' router shows, and lets it prefetch what visitors open next. In app/layout.jsx: <Hints />;
// with basePath '/shop': <Hints base="/shop" />
import { usePathname, useRouter } from 'next/navigation';
import { useEffect, useRef } from 'react';

export function Hints({ base = '' }) {
  const router = useRouter();
  const path = usePathname();
  const page = base && path === '/' ? base : base + path;
  const from = useRef(page);
  useEffect(() => {
    if (from.current !== page) {
      const shown = { moment: 'shown', page, from: from.current, navigation: 'navigate' };
      navigator.sendBeacon('/prefetch-beacon', JSON.stringify(shown));
      from.current = page;
    }
    fetch(`${base}/next-pages?url=${encodeURIComponent(page)}`)
      .then((response) => response.json())
      .then(({ hints }) => {
        for (const { url } of hints) router.prefetch(url.slice(base.length) || '/');
      })
      .catch(() => {}); // then nothing is prefetched
  }, [base, page, router]);
  return null;
}
