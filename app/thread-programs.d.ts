/** The text of a program for a thread of its own (see vite.threads.ts). */
declare module "*?thread" {
  const source: string;
  export default source;
}
