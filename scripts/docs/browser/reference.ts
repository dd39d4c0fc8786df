/** Starts the API reference on the page `/docs/reference`. */
import { createApiReference } from "@scalar/api-reference/browser";

/** The key is stored until the tab is closed. Other tabs never share `sessionStorage`. */
const keyName = "api-key";
const bearer = /^Bearer (svc_.+)$/;

interface BuiltRequest {
  readonly request: Request;
}

/**
 * Names buttons of the renderer that screen readers could not name: they contain only an icon.
 * Reads `innerText`, because `textContent` includes hidden text, which screen readers skip.
 */
function nameButtons(): void {
  for (const button of document.querySelectorAll<HTMLElement>("button[aria-controls]")) {
    const isNamed = button.innerText.trim() !== "" || button.ariaLabel;
    if (!isNamed) button.ariaLabel = isCopyButton(button) ? "Copy" : "Show details";
  }
}
const isCopyButton = (button: Element): boolean => button.classList.contains("scalar-code-copy");

/** Removes the static list of operations once the renderer shows its own. */
function removeIntroduction(): void {
  if (document.querySelector("#reference h1")) document.querySelector(".introduction")?.remove();
}

new MutationObserver(() => {
  removeIntroduction();
  nameButtons();
}).observe(document.body, { childList: true, subtree: true });

createApiReference("#reference", {
  url: new URL("../v1/openapi.json", location.href).href,
  // Prevents requests to other services: the page loads no fonts, proxy, telemetry, AI or hosted
  // tools of the vendor.
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
  // The document has samples in these three languages for every operation.
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
