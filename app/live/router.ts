/** Remix's own router, for what its hooks do not tell. It is private: nothing else reaches for it. */
export const router = () => window.__remixRouter;
