import { useEffect } from "react";

/** Where a browser keeps the titles of what its account looked at last. */
export const recentPlacesKey = "backloom.recent";

/** Whoever comes to sign in finds no titles of the person before. */
export function useForgetRecentPlaces(): void {
  useEffect(() => {
    try {
      localStorage.removeItem(recentPlacesKey);
    } catch {
      // A browser that keeps nothing has nothing to forget.
    }
  }, []);
}
