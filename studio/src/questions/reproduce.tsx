/** The same question elsewhere: as a link and as Python. */

import { link } from "../session";
import { failed, plan, told } from "../store";

/** Of Python that are seen at once. */
const MOST_LINES = 18;

export function Reproduce({ onClose }: { onClose: () => void }) {
  const address = new URL(link(), location.href).href;
  return (
    <div class="reproduce">
      <Copied label="Link" text={address} rows={1} />
      <Copied label="Python" text={plan.value?.python ?? ""} rows={Math.min((plan.value?.python ?? "").split("\n").length, MOST_LINES)} />
      <p class="help">The link opens this question in a studio of the same model; it holds no token.</p>
      <button type="button" class="quiet" onClick={onClose}>Close</button>
    </div>
  );
}

function Copied({ label, text, rows }: { label: string; text: string; rows: number }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      told(`${label} copied.`);
    } catch {
      failed(new Error(`This browser does not let the page copy. Mark the text and copy it yourself.`));
    }
  };
  return (
    <div class="copied">
      <label>
        <span>{label}</span>
        <textarea readOnly rows={rows} value={text} spellcheck={false} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <button type="button" onClick={() => void copy()}>Copy</button>
    </div>
  );
}
