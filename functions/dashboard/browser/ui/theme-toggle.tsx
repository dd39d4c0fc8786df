import { useState } from "preact/hooks";
import { MoonIcon, SunIcon, SystemIcon } from "./icons.tsx";
import { type Theme, applyTheme, keepTheme, keptTheme } from "./theme.ts";

const next: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };
const icons = { system: SystemIcon, light: SunIcon, dark: MoonIcon } as const;

/** A button that changes the theme: from the theme of the system to light, to dark, and back. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(keptTheme);
  const Icon = icons[theme];
  const change = (): void => {
    setTheme(next[theme]);
    keepTheme(next[theme]);
    applyTheme(next[theme]);
  };
  const label = `Color theme: ${theme}. Change to ${next[theme]}.`;
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={change}>
      <Icon />
    </button>
  );
}
