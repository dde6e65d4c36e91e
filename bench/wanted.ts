/** With words as arguments only the parts whose name contains one of them run. */
const words = process.argv.slice(2);

export const isWanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word));
