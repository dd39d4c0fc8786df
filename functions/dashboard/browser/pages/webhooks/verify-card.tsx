import { useState } from "preact/hooks";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { verifySnippets } from "./verify-snippets.ts";

const tabs = [
  { name: "typescript", label: "TypeScript", file: "verify.ts" },
  { name: "python", label: "Python", file: "verify.py" },
] as const;
type Language = (typeof tabs)[number]["name"];

/** Explains how a receiver verifies the signature of a delivery, with code to copy. */
export function VerifyCard() {
  const [language, setLanguage] = useState<Language>("typescript");
  return (
    <Card title="How to verify a signature">
      <p class="muted">
        Every delivery contains the header <code>Service-Signature: t=…,v1=…</code>. Compute the
        HMAC-SHA256 of the time, a dot and the raw body. The key is the complete secret. Compare the
        result with <code>v1</code>. During a rotation, the header contains two signatures. One of
        them must match.
      </p>
      <Tabs label="Language" tabs={tabs} current={language} onChange={setLanguage}>
        <CodeBlock
          label={tabs.find(({ name }) => name === language)?.file ?? ""}
          code={verifySnippets[language]}
        />
      </Tabs>
    </Card>
  );
}
