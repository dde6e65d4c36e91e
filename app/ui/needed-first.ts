/** What a page that the server drew needs before it comes to life: its routes add to it while they are loaded. */
export const neededFirst: Promise<void>[] = [];
