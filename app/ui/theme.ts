/** Values of the theme cookie. The server reads it, so the first paint is already right. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export function readTheme(cookieHeader: string | null): Theme {
  const read = (name: string) =>
    new RegExp(`(?:^|;\\s*)${name}=(\\w+)(?:;|$)`).exec(cookieHeader ?? "")?.[1];
  // The name until 0.2 had no prefix.
  return parseTheme(read("backloom_theme") ?? read("theme"));
}

export function themeCookie(theme: Theme): string {
  return `backloom_theme=${theme}; Path=/; Max-Age=31536000; SameSite=Lax`;
}

export function parseTheme(value: unknown): Theme {
  return themes.find((theme) => theme === value) ?? "system";
}
