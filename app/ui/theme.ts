/** Values of the theme cookie. The server reads it, so the first paint is already right. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export function readTheme(cookieHeader: string | null): Theme {
  const found = /(?:^|;\s*)theme=(light|dark)(?:;|$)/.exec(cookieHeader ?? "")?.[1];
  return found === "light" || found === "dark" ? found : "system";
}

export function themeCookie(theme: Theme): string {
  const lifetime = theme === "system" ? 0 : 31_536_000;
  return `theme=${theme}; Path=/; Max-Age=${lifetime}; SameSite=Lax`;
}

export function parseTheme(value: unknown): Theme {
  return themes.find((theme) => theme === value) ?? "system";
}
