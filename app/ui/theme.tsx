import { useLocation, useRouteLoaderData } from "@remix-run/react";
import { ActionForm } from "./action-form";
import { Icon } from "./icon";
import { MenuButton } from "./menu";

/** Values of the theme cookie. The server reads it, so the first paint is already right. */
export const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

export function readTheme(cookieHeader: string | null): Theme {
  return parseTheme(/(?:^|;\s*)backloom_theme=(\w+)(?:;|$)/.exec(cookieHeader ?? "")?.[1]);
}

export function themeCookie(theme: Theme): string {
  return `backloom_theme=${theme}; Path=/; Max-Age=31536000; SameSite=Lax`;
}

export const parseTheme = (value: unknown): Theme => themes.find((theme) => theme === value) ?? "system";

const looks = {
  system: { label: "System", icon: "monitor" },
  light: { label: "Light", icon: "sun" },
  dark: { label: "Dark", icon: "moon" },
} as const;

export function useTheme(): Theme {
  const root = useRouteLoaderData<{ theme?: Theme }>("root");
  return root?.theme ?? "system";
}

/** Choice of system, light or dark theme. Stored in a cookie, so that the server renders the right one. */
export function ThemeChoices() {
  const current = useTheme();
  const { pathname, search } = useLocation();
  return (
    <ActionForm action="/theme" fields={{ from: `${pathname}${search}` }}>
      {themes.map((theme) => {
        const { label, icon } = looks[theme];
        return (
          <MenuButton key={theme} name="theme" value={theme}>
            <Icon name={icon} className="text-muted" />
            <span className="flex-1">{label}</span>
            {theme === current ? <Icon name="check" label="chosen" /> : null}
          </MenuButton>
        );
      })}
    </ActionForm>
  );
}
