import { render } from "preact";
import { App } from "./app.tsx";
import { followAddress } from "./shell/router.ts";
import { applyTheme, keptTheme } from "./ui/theme.ts";
import "./style/tokens.css";
import "./style/base.css";
import "./style/ui.css";

applyTheme(keptTheme());
followAddress();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
