import { useLocation, useRouteLoaderData } from "@remix-run/react";
import { Check, Monitor, Moon, Sun } from "lucide-react";
import { ActionForm } from "./action-form";
import { MenuButton } from "./menu";
import { type Theme, themes } from "./theme";

const looks = {
  system: { label: "As the system", Icon: Monitor },
  light: { label: "Light", Icon: Sun },
  dark: { label: "Dark", Icon: Moon },
} as const;

export function useTheme(): Theme {
  const root = useRouteLoaderData<{ theme?: Theme }>("root");
  return root?.theme ?? "system";
}

/** System, light or dark; kept in a cookie, so that the server already draws the right one. */
export function ThemeChoices() {
  const current = useTheme();
  const { pathname, search } = useLocation();
  return (
    <ActionForm action="/theme">
      <input type="hidden" name="from" value={`${pathname}${search}`} />
      {themes.map((theme) => {
        const { label, Icon } = looks[theme];
        return (
          <MenuButton key={theme} name="theme" value={theme}>
            <Icon className="size-4 text-muted" aria-hidden="true" />
            <span className="flex-1">{label}</span>
            {theme === current ? <Check className="size-4" aria-label="chosen" /> : null}
          </MenuButton>
        );
      })}
    </ActionForm>
  );
}
