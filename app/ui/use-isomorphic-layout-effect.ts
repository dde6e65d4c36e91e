import { useEffect, useLayoutEffect } from "react";

/** `useLayoutEffect` in the browser. On the server `useEffect`, which does nothing there, to avoid React's warning. */
export const useIsomorphicLayoutEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;
