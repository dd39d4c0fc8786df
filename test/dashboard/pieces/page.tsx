/** A page for tests that shows each shared component of the dashboard with some content. */
import { render } from "preact";
import { useState } from "preact/hooks";
import "../../../functions/dashboard/browser/style/tokens.css";
import "../../../functions/dashboard/browser/style/base.css";
import "../../../functions/dashboard/browser/style/ui.css";
import { ApiError } from "../../../functions/dashboard/browser/api/api-error.ts";
import type { Pages } from "../../../functions/dashboard/browser/api/use-pages.ts";
import { Button } from "../../../functions/dashboard/browser/ui/button.tsx";
import { CodeBlock } from "../../../functions/dashboard/browser/ui/code-block.tsx";
import { ConfirmDialog, Dialog } from "../../../functions/dashboard/browser/ui/dialog.tsx";
import { JsonView } from "../../../functions/dashboard/browser/ui/json-view.tsx";
import { Pager } from "../../../functions/dashboard/browser/ui/pager.tsx";
import { Tabs } from "../../../functions/dashboard/browser/ui/tabs.tsx";
import {
  ToastRegion,
  useFailureToast,
  useToast,
} from "../../../functions/dashboard/browser/ui/toast.tsx";
import { VirtualTable } from "../../../functions/dashboard/browser/ui/virtual-table.tsx";

const fruits = ["apple", "pear", "plum"] as const;

function TabsPiece() {
  const [fruit, setFruit] = useState<(typeof fruits)[number]>("apple");
  return (
    <Tabs
      label="Fruit"
      tabs={fruits.map((name) => ({ name, label: name }))}
      current={fruit}
      onChange={setFruit}
    >
      <p>All about the {fruit}</p>
    </Tabs>
  );
}

const pageSize = 5_000;
const listMax = 15_000;

function VirtualTablePiece() {
  const [count, setCount] = useState(pageSize);
  return (
    <VirtualTable
      label="Rows"
      columns={[
        { name: "name", head: "Name", isRowHead: true, cell: (row) => row },
        { name: "link", head: "Link", cell: (row) => <a href={`#/${row}`}>Open {row}</a> },
      ]}
      rows={Array.from({ length: count }, (_, n) => `row ${n}`)}
      rowKey={(row) => row}
      rowClass="row-of-piece"
      rowHeight={32}
      height={320}
      total={listMax}
      onEnd={() => setCount(Math.min(listMax, count + pageSize))}
    />
  );
}

const json = {
  text: 'with "quotes" and <b>',
  number: 1.5,
  yes: true,
  nothing: null,
  empty: [],
  deep: { deeper: { deepest: "found" } },
  long: Array.from({ length: 250 }, (_, n) => n),
};

function PagerPiece() {
  const [shown, setShown] = useState(2);
  const [loadingMore, setLoadingMore] = useState(false);
  const pages: Pages<number> = {
    entries: Array.from({ length: shown }, (_, n) => n),
    error: undefined,
    loading: false,
    hasMore: shown < 4,
    loadingMore,
    loadMore() {
      setLoadingMore(true);
      const show = (): void => {
        setShown((before) => before + 2);
        setLoadingMore(false);
      };
      addEventListener("page", show, { once: true });
    },
    refresh() {},
  };
  return <Pager pages={pages} />;
}

function Dialogs() {
  const [open, setOpen] = useState<"plain" | "kept" | "confirm" | "slow" | "tall">();
  const [confirmed, setConfirmed] = useState(0);
  const [busy, setBusy] = useState(false);
  const close = (): void => setOpen(undefined);
  return (
    <>
      <Button onClick={() => setOpen("plain")}>Open dialog</Button>
      <Button onClick={() => setOpen("kept")}>Open kept dialog</Button>
      <Button onClick={() => setOpen("confirm")}>Ask</Button>
      <Button onClick={() => setOpen("slow")}>Ask slowly</Button>
      <Button onClick={() => setOpen("tall")}>Open tall dialog</Button>
      <p>confirmed {confirmed} times</p>
      {open === "plain" && (
        <Dialog title="A dialog" onClose={close}>
          <input aria-label="First" />
          <input aria-label="Second" />
        </Dialog>
      )}
      {open === "kept" && (
        <Dialog title="A secret" dismissable={false} onClose={close}>
          <Button>Copy it</Button>
          <div class="dialog-actions">
            <Button onClick={close}>I have it</Button>
          </div>
        </Dialog>
      )}
      {open === "slow" && (
        <ConfirmDialog
          title="Slowly?"
          confirm="Begin"
          busy={busy}
          onClose={close}
          onConfirm={() => {
            setBusy(true);
            addEventListener("answer", () => setBusy(false), { once: true });
          }}
        >
          It takes a while.
        </ConfirmDialog>
      )}
      {open === "tall" && (
        <Dialog title="Tall" onClose={close}>
          {Array.from({ length: 40 }, (_, n) => (
            <p key={n}>Line {n}</p>
          ))}
          <input aria-label="Last" />
        </Dialog>
      )}
      {open === "confirm" && (
        <ConfirmDialog
          title="Really?"
          confirm="Do it"
          onClose={close}
          onConfirm={() => {
            setConfirmed(confirmed + 1);
            close();
          }}
        >
          It cannot be taken back.
        </ConfirmDialog>
      )}
    </>
  );
}

function ToastPiece() {
  const toast = useToast();
  const toastFailure = useFailureToast();
  const about = { status: 409, code: "CONFLICT", message: "It was deleted.", requestId: "req_1" };
  return (
    <>
      <Button onClick={() => toast("It was done.")}>Do something</Button>
      <Button onClick={() => toastFailure(new ApiError(about))}>Fail at something</Button>
    </>
  );
}

function Pieces() {
  return (
    <ToastRegion>
      <main class="form">
        <h1>Pieces</h1>
        <TabsPiece />
        <VirtualTablePiece />
        <JsonView value={json} />
        <CodeBlock label="Call" code="shown" copied="the whole" />
        <PagerPiece />
        <Dialogs />
        <ToastPiece />
      </main>
    </ToastRegion>
  );
}

const app = document.querySelector("#app");
if (app) render(<Pieces />, app);
