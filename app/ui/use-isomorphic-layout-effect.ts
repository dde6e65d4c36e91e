import { useEffect, useLayoutEffect } from "react";

/** An effect that comes with what is drawn, not after it. On the server, where React warns of these, there is nothing to do. */
export const useIsomorphicLayoutEffect =
  typeof document === "undefined" ? useEffect : useLayoutEffect;
