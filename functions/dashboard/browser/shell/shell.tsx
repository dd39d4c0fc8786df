import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Scope, useSession } from "../api/session.ts";
import { CloseIcon, Logo, MenuIcon, SearchIcon, SignOutIcon } from "../ui/icons.tsx";
import { useItemIndex } from "./item-index.ts";
import { useKeptFocus } from "./kept-focus.ts";
import { mayLeave } from "../ui/leaving.ts";
import { Navigation } from "./navigation.tsx";
import { PageBoundary } from "./page-boundary.tsx";
import { Palette, usePaletteKey } from "./palette.tsx";
import { usePlace } from "./router.ts";
import type { ShownPage } from "./shown-page.ts";
import { ThemeToggle } from "../ui/theme-toggle.tsx";
import "./shell.css";

/**
 * Shows the navigation, and the page that `findPage` returns for the path of the current address.
 */
export function Shell({ findPage }: { readonly findPage: (path: string) => ShownPage }) {
  const { path, query } = usePlace();
  const { page: Page, section, parameters } = findPage(path);
  const [main, setMain] = useState<HTMLElement | null>(null);
  useKeptFocus(main);
  const [menuOpen, setMenuOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const index = useItemIndex(isSearching);
  useFocusOnNavigation(path, main);
  usePaletteKey(() => setSearching(true));
  // A layout effect closes the menu and the search before the new page is painted, so that the page
  // never appears behind them.
  useLayoutEffect(() => {
    setMenuOpen(false);
    setSearching(false);
  }, [path]);
  return (
    <div class="shell">
      <a
        class="skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main?.focus();
        }}
      >
        Skip to content
      </a>
      <header class="topbar">
        <a class="brand" href="#/changes">
          <Logo />
          <span>Product data</span>
        </a>
        <button
          type="button"
          class="icon-button menu-button"
          aria-expanded={menuOpen}
          aria-controls="navigation"
          aria-label={menuOpen ? "Close the menu" : "Open the menu"}
          onClick={() => setMenuOpen(!menuOpen)}
        >
          {menuOpen ? <CloseIcon /> : <MenuIcon />}
        </button>
      </header>
      <div id="navigation" class={menuOpen ? "sidebar sidebar-open" : "sidebar"}>
        <button
          type="button"
          class="nav-search"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => setSearching(true)}
        >
          <SearchIcon />
          Search
          <kbd>Ctrl K</kbd>
        </button>
        <Navigation section={section} />
        <SidebarFoot />
      </div>
      <main id="main" class="main" ref={setMain} tabIndex={-1}>
        <AccessBanner />
        <PageBoundary key={path}>
          <Page parameters={parameters} query={query} />
        </PageBoundary>
      </main>
      {isSearching && <Palette index={index} onClose={() => setSearching(false)} />}
    </div>
  );
}

function SidebarFoot() {
  const { signOut } = useSession();
  return (
    <div class="sidebar-foot">
      <button type="button" class="nav-link" onClick={() => mayLeave() && signOut()}>
        <SignOutIcon />
        Sign out
      </button>
      <ThemeToggle />
    </div>
  );
}

/**
 * Shows which actions the scopes of the user's key do not allow. Shows nothing for a key with all
 * scopes.
 */
function AccessBanner() {
  const { demo, scopes, signOut } = useSession();
  const text = demo
    ? "You are looking at the demo workspace. Nothing can be changed here."
    : limitsInWords(scopes);
  if (text === undefined) return null;
  return (
    <p class="notice notice-info access-banner" role="note">
      <span>{text}</span>
      <button type="button" class="link-button" onClick={() => mayLeave() && signOut()}>
        {demo ? "Sign in with your own key" : "Sign in with another key"}
      </button>
    </p>
  );
}

/**
 * Returns which actions a key with these scopes does not allow; undefined for a key with all
 * scopes.
 */
function limitsInWords(scopes: readonly Scope[]): string | undefined {
  const actions = [
    ...(scopes.includes("write") ? [] : ["change anything"]),
    ...(scopes.includes("spend") ? [] : ["spend credits"]),
  ];
  if (actions.length === 0) return undefined;
  return `Your API key cannot ${actions.join(" or ")}. The buttons for this are disabled.`;
}

/** Scrolls to the top and focuses the heading of the new page after a navigation. */
function useFocusOnNavigation(path: string, main: HTMLElement | null): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    scrollTo(0, 0);
    (main?.querySelector<HTMLElement>("h1") ?? main)?.focus({ preventScroll: true });
  }, [path, main]);
}
