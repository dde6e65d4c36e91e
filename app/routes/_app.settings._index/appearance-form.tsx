import { ActionForm } from "~/components/action-form";
import { Button } from "~/components/button";
import { Section } from "~/components/card";
import { themes } from "~/components/theme";
import { useTheme } from "~/components/theme-menu";

const labels = { system: "As the system", light: "Light", dark: "Dark" } as const;

/** The theme, kept with the account and in a cookie of this browser. */
export function AppearanceForm() {
  const current = useTheme();
  return (
    <Section title="Appearance" about="For this browser, and for those you sign in with later.">
      <ActionForm action="/theme" className="flex flex-wrap gap-2" aria-label="Appearance">
        <input type="hidden" name="from" value="/settings" />
        {themes.map((theme) => (
          <Button
            key={theme}
            type="submit"
            name="theme"
            value={theme}
            aria-pressed={theme === current}
            tone={theme === current ? "primary" : "plain"}
          >
            {labels[theme]}
          </Button>
        ))}
      </ActionForm>
    </Section>
  );
}
