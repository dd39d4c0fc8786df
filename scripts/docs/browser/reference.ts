/** Starts the API reference on the page `/docs/reference`. */
import { createApiReference } from "@scalar/api-reference/browser";

/**
 * The name under which `sessionStorage` keeps the API key until the tab is closed. Other tabs
 * cannot read it.
 */
const keyName = "api-key";
const bearer = /^Bearer (svc_.+)$/;

interface BuiltRequest {
  readonly request: Request;
}

/**
 * Corrects the names of the renderer's buttons for screen readers. A button with only an icon gets
 * a name. The name of a button with text begins with this text, so that voice commands can use it.
 * Uses `innerText`, because `textContent` includes hidden text, which screen readers skip. Gives a
 * hidden button no name, because its `innerText` is always empty.
 */
function nameButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button")) {
    const text = button.innerText.trim().replaceAll(/\s+/g, " ");
    const name = button.ariaLabel ?? "";
    if (text !== "" && name !== "" && !name.includes(text)) button.ariaLabel = `${text}: ${name}`;
    const lacksName = text === "" && name === "" && button.hasAttribute("aria-controls");
    if (lacksName && button.checkVisibility({ visibilityProperty: true }))
      button.ariaLabel = isCopyButton(button) ? "Copy" : "Show details";
  }
}
const isCopyButton = (button: Element): boolean => button.classList.contains("scalar-code-copy");

/**
 * Corrects the roles in the renderer's dialog for screen readers: removes the role `none` from
 * buttons, and adds the missing attribute `aria-expanded` to comboboxes.
 */
function completeRoles(): void {
  for (const button of document.querySelectorAll("button[role=none]"))
    button.removeAttribute("role");
  for (const box of document.querySelectorAll("[role=combobox]:not([aria-expanded])"))
    box.setAttribute("aria-expanded", "false");
}

/** Removes the static list of operations once the renderer shows its own. */
function removeIntroduction(): void {
  if (document.querySelector("#reference h1")) document.querySelector(".introduction")?.remove();
}

new MutationObserver(() => {
  removeIntroduction();
  nameButtons();
  completeRoles();
}).observe(document.body, { childList: true, subtree: true });

createApiReference("#reference", {
  url: new URL("../v1/openapi.json", location.href).href,
  // Prevents requests to other services: the page uses no fonts, proxy, telemetry, AI features or
  // hosted tools of the vendor.
  withDefaultFonts: false,
  proxyUrl: "",
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "json",
  persistAuth: false,
  modelsSectionLabel: "Schemas",
  // The document has samples in curl, TypeScript and Python for every operation.
  hiddenClients: true,
  authentication: {
    preferredSecurityScheme: "bearer",
    securitySchemes: { bearer: { token: sessionStorage.getItem(keyName) ?? "" } },
  },
  onRequestBuilt({ request }: BuiltRequest) {
    const [, key] = bearer.exec(request.headers.get("Authorization") ?? "") ?? [];
    if (key !== undefined) sessionStorage.setItem(keyName, key);
  },
});
