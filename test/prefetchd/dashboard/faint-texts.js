// Runs in the page. Texts that are harder to read than WCAG 1.4.3 allows, with their contrast; what is disabled may be.

(() => {
  const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((channels(color)[3] ?? 1) === 1) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faint = [];
  let texts = 0;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.textContent.trim() === '' || !element.checkVisibility()) continue;
    if (element.closest(':disabled, noscript') !== null) continue;
    texts++;
    const { fill, color } = getComputedStyle(element);
    const ink = luminance(element instanceof SVGElement ? fill : color);
    const behind = luminance(ground(element));
    const contrast = (Math.max(ink, behind) + 0.05) / (Math.min(ink, behind) + 0.05);
    if (contrast < 4.5) faint.push(`${contrast.toFixed(2)} ${node.textContent.trim()}`);
  }
  return { faint, texts };
})();
