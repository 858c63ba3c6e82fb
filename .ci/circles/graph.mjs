/** Which imports lie on a circle, and how that compares with the list of those that are known. */

/**
 * The imports between two files of one strongly connected component.
 * @param {Map<string, Map<string, number>>} imports file → imported file → line of the first import
 * @returns {{ circles: string[][], edges: Map<string, number> }} `edges` by `from -> to`
 */
export function circlesOf(imports) {
  const circles = components(imports).filter((files) => files.length > 1);
  const circleOf = new Map(circles.flatMap((files, index) => files.map((file) => [file, index])));
  const edges = new Map();
  for (const [from, targets] of imports) {
    for (const [to, line] of targets) {
      if (circleOf.has(from) && circleOf.get(from) === circleOf.get(to)) edges.set(`${from} -> ${to}`, line);
    }
  }
  circles.sort((a, b) => b.length - a.length || a[0].localeCompare(b[0]));
  return { circles, edges };
}

/** Tarjan's algorithm, without recursion. Each component is sorted. */
function components(imports) {
  const number = new Map();
  const low = new Map();
  const open = [];
  const isOpen = new Set();
  const found = [];
  for (const root of [...imports.keys()].sort()) {
    if (number.has(root)) continue;
    const path = [];
    const enter = (file) => {
      number.set(file, number.size);
      low.set(file, number.get(file));
      open.push(file);
      isOpen.add(file);
      path.push({ file, rest: [...(imports.get(file)?.keys() ?? [])] });
    };
    enter(root);
    while (path.length > 0) {
      const { file, rest } = path.at(-1);
      const next = rest.pop();
      if (next !== undefined) {
        if (!number.has(next)) enter(next);
        else if (isOpen.has(next)) low.set(file, Math.min(low.get(file), number.get(next)));
        continue;
      }
      path.pop();
      if (path.length > 0) low.set(path.at(-1).file, Math.min(low.get(path.at(-1).file), low.get(file)));
      if (low.get(file) !== number.get(file)) continue;
      const component = open.splice(open.indexOf(file));
      component.forEach((member) => isOpen.delete(member));
      found.push(component.sort());
    }
  }
  return found;
}

/**
 * What is wrong with the known circles: an import that is new on one, and one listed that is on none.
 * @param {Map<string, number>} edges of `circlesOf`
 * @param {string[]} allowed lines `from -> to`
 */
export function compare(edges, allowed) {
  return {
    added: [...edges.keys()].filter((edge) => !allowed.includes(edge)).sort(),
    gone: allowed.filter((edge) => !edges.has(edge)),
  };
}

/** The lines of a list, without blank ones and comments. */
export function linesOf(text) {
  return text.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}
