import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll } from "vitest";

/** As in a network without a way out: no name of the internet is found, those of this machine are. */
export function loseTheInternet(): void {
  const { lookup } = dns;
  const withoutInternet = (hostname: string, ...rest: unknown[]) => {
    const answer = rest.at(-1);
    if (typeof answer === "function" && !/^(localhost|127\.|::1)/.test(hostname)) {
      answer(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }));
      return;
    }
    Reflect.apply(lookup, dns, [hostname, ...rest]);
  };
  beforeAll(() => {
    Object.assign(dns, { lookup: withoutInternet });
    syncBuiltinESMExports();
  });
  afterAll(() => {
    Object.assign(dns, { lookup });
    syncBuiltinESMExports();
  });
}
