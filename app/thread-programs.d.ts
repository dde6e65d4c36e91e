/** Source text of a program that runs in a worker thread (see vite.threads.ts). */
declare module "*?thread" {
  const source: string;
  export default source;
}
