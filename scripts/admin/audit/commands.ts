import { type Commands, listOf, wholeNumber } from "../command.ts";
import { escapeControls } from "../print.ts";
import { lastLines } from "./audit-log.ts";

const shownDefault = 50;

export const auditCommands: Commands = {
  audit: {
    example: "--stage prod --account acct_1",
    takes: ["account", "watchlist", "limit"],
    about: "Lists the changes that operators made with npm run admin, newest first.",
    async run(values, { target, warn }) {
      const limit = wholeNumber(values, "limit", { least: 1, otherwise: shownDefault });
      const log = await target.auditLog();
      const changes = lastLines(await log.lines((line) => warn(escapeControls(line)))).filter(
        ({ options, created }) =>
          (values.account === undefined ||
            [options["account"], created].includes(values.account)) &&
          (values.watchlist === undefined || options["watchlist"] === values.watchlist),
      );
      return listOf(changes.slice(0, limit), changes.length > limit);
    },
  },
};
