// What runs are called beside each other: the shortest ends of their folders that tell them apart.

const partsOf = (folder) => folder.split('/').filter((part) => part !== '' && part !== '.');

// Of one folder each; two that are the same in all parts stay so.
export function titlesOf(folders) {
  const parts = folders.map(partsOf);
  const longest = Math.max(1, ...parts.map((names) => names.length));
  for (let count = 1; ; ++count) {
    const titles = parts.map((names) => names.slice(-count).join('/'));
    if (count === longest || new Set(titles).size === titles.length) return titles;
  }
}
