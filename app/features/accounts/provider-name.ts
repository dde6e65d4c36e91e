const names: Readonly<Record<string, string>> = {
  "accounts.google.com": "Google",
  "login.microsoftonline.com": "Microsoft",
};

/** Returns the provider's well-known name, or its host if we do not know one. */
export function providerName(issuer: string): string {
  const { host } = new URL(issuer);
  return names[host] ?? host;
}
