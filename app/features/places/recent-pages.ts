import { useEffect } from "react";

/** localStorage key of the recently viewed items of an account. */
export const recentPagesKey = "backloom.recent";

/** Clears recent titles, so that the next person to sign in does not see them. */
export function useForgetRecentPages(): void {
  useEffect(() => {
    try {
      localStorage.removeItem(recentPagesKey);
    } catch {
      // Without storage there is nothing to clear.
    }
  }, []);
}
