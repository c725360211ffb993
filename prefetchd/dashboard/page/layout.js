// Positions the pages of the picture: the chosen page, what follows it, and what follows those, in layers from left to
// right; twelve URLs are readable in a column. On a narrow screen they form a tree from top to bottom. The layout is
// deterministic, so nothing jumps between updates.

const mostFollowers = 5;
const mostBeyond = 6;
const boxHeight = 42;
const rowHeight = 52;
const narrowBelow = 520;
const indent = 20;

/**
 * Positions pages. @param view {url, arcs: [{url, kind, probability, clients, next}]}
 * @returns {nodes: [{url, level, parent, probability, x, y, width, height}], edges: [{from, to, probability, isBack}],
 * width, height, isNarrow}; `from`, `to` and `parent` are indexes into `nodes`
 */
export function layout(view, width) {
  const { nodes, edges } = chosen(view);
  const isNarrow = width < narrowBelow;
  const height = isNarrow ? asTree(nodes, width) : asLayers(nodes, edges, width);
  return { nodes, edges, width, height, isNarrow };
}

function chosen({ url, arcs }) {
  const nodes = [{ url, kind: 'document', level: 0, parent: -1, probability: null, clients: null }];
  const edges = [];
  const placeOf = new Map([[url, 0]]);
  const add = (arc, level, parent) => {
    placeOf.set(arc.url, nodes.length);
    nodes.push({ ...arc, next: undefined, level, parent });
    edges.push({ from: parent, to: nodes.length - 1, probability: arc.probability, isBack: false });
  };
  const followers = arcs.filter((arc) => arc.url !== url).slice(0, mostFollowers);
  for (const arc of followers) add(arc, 1, 0);
  const beyond = followers
    .flatMap((arc) =>
      arc.next.map((next) => ({ ...next, from: arc.url, way: arc.probability * next.probability })),
    )
    .sort((a, b) => b.way - a.way || (a.url < b.url ? -1 : 1));
  for (const arc of beyond) {
    const from = placeOf.get(arc.from);
    const to = placeOf.get(arc.url);
    if (to !== undefined) {
      edges.push({ from, to, probability: arc.probability, isBack: nodes[to].level < 2 });
    } else if (nodes.length < 1 + followers.length + mostBeyond) {
      add(arc, 2, from);
    }
  }
  return { nodes, edges };
}

/** Places pages in layers; the last one is sorted by where its arcs come from, so that few arcs cross. */
function asLayers(nodes, edges, width) {
  const layers = [0, 1, 2].map((level) => nodes.filter((node) => node.level === level));
  const centre = (node) => {
    const place = nodes.indexOf(node);
    const from = edges.filter((edge) => edge.to === place).map((edge) => edge.from);
    return from.reduce((sum, at) => sum + at, 0) / from.length;
  };
  const centres = new Map(layers[2].map((node) => [node, centre(node)]));
  layers[2].sort((a, b) => centres.get(a) - centres.get(b) || b.probability - a.probability);
  const used = layers.filter((layer) => layer.length > 0);
  const gap = Math.min(76, width * 0.09);
  const column = Math.min(300, (width - gap * (used.length - 1)) / used.length);
  const rows = Math.max(...layers.map((layer) => layer.length));
  const height = rows * rowHeight - (rowHeight - boxHeight);
  for (const [level, layer] of used.entries()) {
    const pitch =
      layer.length > 1 ? Math.min(rowHeight * 1.6, (height - boxHeight) / (layer.length - 1)) : 0;
    const top = (height - boxHeight - pitch * (layer.length - 1)) / 2;
    for (const [row, node] of layer.entries()) {
      Object.assign(node, {
        x: level * (column + gap),
        y: top + row * pitch,
        width: column,
        height: boxHeight,
      });
    }
  }
  return height;
}

function asTree(nodes, width) {
  let row = 0;
  const place = (node) => {
    const x = node.level * indent;
    Object.assign(node, { x, y: row++ * rowHeight, width: width - x, height: boxHeight });
    const at = nodes.indexOf(node);
    for (const child of nodes) if (child.parent === at) place(child);
  };
  place(nodes[0]);
  return row * rowHeight - (rowHeight - boxHeight);
}
