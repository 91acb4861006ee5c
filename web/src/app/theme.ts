/** Light or dark: the system's setting, unless a person chose one. */
import { createStore } from "../live/store.ts";

export type Theme = "system" | "light" | "dark";

const key = "waybill-theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

export const theme = createStore<Theme>(storedTheme());

function storedTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function applyTheme(): void {
  show(theme.latest());
  prefersDark.addEventListener("change", () => show(theme.latest()));
}

export function chooseTheme(chosen: Theme): void {
  if (chosen === "system") localStorage.removeItem(key);
  else localStorage.setItem(key, chosen);
  theme.set(chosen);
  show(chosen);
}

/** The current one. */
export function shownTheme(chosen: Theme): "light" | "dark" {
  if (chosen !== "system") return chosen;
  return prefersDark.matches ? "dark" : "light";
}

function show(chosen: Theme): void {
  document.documentElement.dataset.theme = shownTheme(chosen);
}
