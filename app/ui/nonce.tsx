import { createContext, useContext } from "react";

const NonceContext = createContext<string | undefined>(undefined);

export const NonceProvider = NonceContext.Provider;

/** Returns the nonce of this response's Content-Security-Policy; undefined in the browser, which hides it. */
export const useNonce = (): string | undefined => useContext(NonceContext);
