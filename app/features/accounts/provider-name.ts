const names: Readonly<Record<string, string>> = {
  "accounts.google.com": "Google",
  "login.microsoftonline.com": "Microsoft",
};

/** What people call the provider: its name, where it is known to everybody, else its host. */
export function providerName(issuer: string): string {
  const { host } = new URL(issuer);
  return names[host] ?? host;
}
