/** A theme of the dashboard. `system` follows the browser's color scheme. */
export type Theme = "system" | "light" | "dark";

const name = "dashboard.theme";

/** Returns the theme that the browser has stored; `system` if there is none. */
export function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(name);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system";
  }
}

/** Stores a theme in the browser, if the browser allows it. */
export function keepTheme(theme: Theme): void {
  try {
    localStorage.setItem(name, theme);
  } catch {
    // Without storage, the theme applies until the page is closed.
  }
}

/**
 * Applies a theme to the page, and dispatches the event `themeChanged`. Does not store the theme.
 */
export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset["theme"];
  else dataset["theme"] = theme;
  dispatchEvent(new Event(themeChanged));
}

/** The name of the event that `window` receives after the user changed the theme. */
export const themeChanged = "dashboard-theme";
