import { useState } from "preact/hooks";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { CallRequest } from "./calls.ts";
import { type Language, languageNames, languages, snippetOf } from "./snippets.ts";

/** Shows the call as code, in a language that the user chooses. */
export function CallCode({ request }: { readonly request: CallRequest }) {
  const [language, setLanguage] = useState<Language>("curl");
  const { shown, whole } = snippetOf(language, request);
  return (
    <div class="try-code">
      <Card title="The same call as code">
        <Tabs
          label="Language"
          tabs={languages.map((name) => ({ name, label: languageNames[name] }))}
          current={language}
          onChange={setLanguage}
        >
          <CodeBlock label={languageNames[language]} code={shown} copied={whole} />
        </Tabs>
      </Card>
    </div>
  );
}
