import type { Config } from "tailwindcss";

const statusNames = ["todo", "progress", "review", "done", "failed", "waiting"] as const;

/** Each status keeps one colour everywhere: its ink and the soft ground that it stands on. */
const statusColours = Object.fromEntries(
  statusNames.flatMap((name) => [
    [name, `var(--status-${name})`],
    [`${name}-soft`, `var(--status-${name}-soft)`],
  ]),
);

export default {
  content: ["./app/**/*.{ts,tsx}"],
  theme: {
    extend: {
      colors: {
        paper: "var(--paper)",
        surface: "var(--surface)",
        raised: "var(--raised)",
        sunken: "var(--sunken)",
        line: "var(--line)",
        "line-strong": "var(--line-strong)",
        ink: "var(--ink)",
        muted: "var(--muted)",
        faint: "var(--faint)",
        accent: "var(--accent)",
        "accent-strong": "var(--accent-strong)",
        "accent-soft": "var(--accent-soft)",
        "on-accent": "var(--on-accent)",
        danger: "var(--danger)",
        "danger-strong": "var(--danger-strong)",
        "on-danger": "var(--on-danger)",
        ...statusColours,
      },
      fontFamily: {
        sans: ['"Inter Variable"', "system-ui", "sans-serif"],
        // Without ligatures: code shows the characters that it has.
        mono: [
          '"JetBrains Mono Variable", ui-monospace, Menlo, Consolas, monospace',
          { fontFeatureSettings: '"calt" 0' },
        ],
      },
      fontSize: {
        "2xs": ["0.75rem", "1rem"],
        xs: ["0.75rem", "1.125rem"],
        sm: ["0.8125rem", "1.25rem"],
        base: ["0.875rem", "1.375rem"],
        lg: ["1rem", "1.5rem"],
        xl: ["1.25rem", "1.75rem"],
        "2xl": ["1.5rem", "2rem"],
      },
      borderRadius: { sm: "3px", DEFAULT: "5px", md: "5px", lg: "8px" },
      boxShadow: { pop: "var(--shadow-pop)" },
    },
  },
} satisfies Config;
