/** `system` follows the browser's color scheme. */
export type Theme = "system" | "light" | "dark";

const name = "dashboard.theme";

export function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(name);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system";
  }
}

export function keepTheme(theme: Theme): void {
  try {
    localStorage.setItem(name, theme);
  } catch {
    // It then lasts as long as the page.
  }
}

export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset["theme"];
  else dataset["theme"] = theme;
  dispatchEvent(new Event(themeChanged));
}

/** The event of the window after the user changed the color scheme. */
export const themeChanged = "dashboard-theme";
