import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Question } from "./misbehaving-server.ts";

/** The reaction of a source to a request. */
export type Play = (question: Question) => void;

type Headers = Readonly<Record<string, string>>;

const entriesFor = ({ ids, speech }: Question): unknown[] => ids.map((id) => speech.entry(id));

const goodReply = (question: Question): unknown => question.speech.reply(entriesFor(question));

const goodText = (question: Question): string => question.speech.written(goodReply(question));

function send({ speech, response }: Question, body: string | Uint8Array, headers: Headers = {}) {
  response.writeHead(200, { "Content-Type": `${speech.contentType}; charset=utf-8`, ...headers });
  response.end(body);
}

const refuse =
  (status: number, headers: () => Headers = () => ({})): Play =>
  ({ response }) => {
    response.writeHead(status, headers());
    response.end();
  };

/** Responds like a correct source. */
export const behave: Play = (question) => send(question, goodText(question));

/**
 * Creates a reaction: reacts with `play` to the first request about items, and correctly to later
 * requests.
 */
export const once =
  (play: Play): Play =>
  (question) =>
    question.number === 1 ? play(question) : behave(question);

/** Creates a reaction: responds with a status and without a body. */
export const status = (code: number): Play => refuse(code);

/** Creates a reaction: responds with 429 and a Retry-After of `seconds`. */
export const tooOftenFor = (seconds: number): Play =>
  refuse(429, () => ({ "Retry-After": String(seconds) }));

/**
 * Creates a reaction: responds with 429 and a Retry-After with a date, 0.5 to 1.5 seconds ahead,
 * because such dates have whole seconds. Calls `onUntil` with the date before the response.
 */
export const tooOftenUntil = (onUntil: (until: Date) => void): Play =>
  refuse(429, () => {
    const until = new Date(Math.ceil((Date.now() + 500) / 1_000) * 1_000);
    onUntil(until);
    return { "Retry-After": until.toUTCString() };
  });

export const tooOftenUntilTomorrow: Play = refuse(429, () => ({
  "Retry-After": new Date(Date.now() + 86_400_000).toUTCString(),
}));

/** Never responds. */
export const hang: Play = () => undefined;

export const reset: Play = ({ response }) => {
  response.socket?.resetAndDestroy();
};

/** Announces the length of the complete body, sends half of it and closes the connection. */
export const cutOff: Play = (question) => {
  const { response, speech } = question;
  const body = Buffer.from(goodText(question));
  const headers = { "Content-Type": speech.contentType, "Content-Length": String(body.length) };
  response.writeHead(200, headers);
  response.write(body.subarray(0, body.length / 2), () => response.socket?.destroy());
};

export const gzip: Play = (question) =>
  send(question, gzipSync(goodText(question)), { "Content-Encoding": "gzip" });

export const br: Play = (question) =>
  send(question, brotliCompressSync(goodText(question)), { "Content-Encoding": "br" });

/** Declares a compression that the body does not have. */
export const falselyPacked: Play = (question) =>
  send(question, goodText(question), { "Content-Encoding": "gzip" });

const blanks = Buffer.alloc(65_536, " ");

/** Sends a correct reply followed by blanks, and never ends the body. */
export const endless: Play = (question) => {
  const { response, speech } = question;
  response.writeHead(200, { "Content-Type": speech.contentType });
  response.write(goodText(question));
  const more = (): void => {
    while (!response.destroyed && response.write(blanks));
  };
  response.on("drain", more);
  more();
};

/** Sends one blank every 20 ms and never ends the body. */
export const dripping: Play = (question) => {
  const { response, speech } = question;
  response.writeHead(200, { "Content-Type": speech.contentType });
  const timer = setInterval(() => response.write(" "), 20);
  response.once("close", () => clearInterval(timer));
};

/** Compressed blanks that exceed the size limit of a reply after decompression. */
const packedBlanks = gzipSync(Buffer.alloc(20 * 1_024 * 1_024, " "));

/** Sends a few kilobytes that decompress to a correct reply and 20 MB of blanks. */
export const bomb: Play = (question) => {
  const body = Buffer.concat([gzipSync(goodText(question)), packedBlanks]);
  send(question, body, { "Content-Encoding": "gzip" });
};

/** Encodes the body in one charset and declares another. */
export const written =
  (encoding: "latin1" | "utf8", charset: string): Play =>
  (question) =>
    send(question, Buffer.from(goodText(question), encoding), {
      "Content-Type": `${question.speech.contentType}; charset=${charset}`,
    });

/** Sends no charset in `Content-Type`. */
export const withoutCharset: Play = (question) =>
  send(question, goodText(question), { "Content-Type": question.speech.contentType });

const blockPage = "<!doctype html><title>Robot check</title><p>Type the letters (captcha)</p>";

/** Responds with a page that asks for human input, like a source that blocks a caller. */
export const block =
  (code: number): Play =>
  ({ response }) => {
    response.writeHead(code, { "Content-Type": "text/html; charset=utf-8" });
    response.end(blockPage);
  };

/** Sends the start of a correct reply, without a sign that the rest is missing. */
export const truncated: Play = (question) => {
  const whole = goodText(question);
  send(question, whole.slice(0, whole.indexOf("{") + 30));
};

export const empty: Play = (question) => send(question, "");

type Entries = (question: Question) => readonly unknown[];

const replying =
  (entries: Entries): Play =>
  (question) => {
    const { speech } = question;
    send(question, speech.written(speech.reply(entries(question))));
  };

/** Creates a reaction: omits the ID `missing` from a reply that is marked as complete. */
export const without = (missing: string): Play =>
  replying(({ ids, speech }) => ids.filter((id) => id !== missing).map((id) => speech.entry(id)));

/** Creates a reaction: returns the item `stranger` instead of the requested item `missing`. */
export const insteadOf = (missing: string, stranger: string): Play =>
  replying(({ ids, speech }) => ids.map((id) => speech.entry(id === missing ? stranger : id)));

/**
 * Creates a reaction: returns the requested items and the item `stranger`, which was not requested.
 */
export const withStranger = (stranger: string): Play =>
  replying((question) => [question.speech.entry(stranger), ...entriesFor(question)]);

/** Returns each item twice, the second time with another price. */
export const doubled: Play = replying(({ ids, speech }) =>
  ids.flatMap((id) => [speech.entry(id), speech.entry(id, true)]),
);

/**
 * Creates a reaction: returns each item twice with the same price, but omits the item `missing`.
 */
export const doubledWithout = (missing: string): Play =>
  replying(({ ids, speech }) =>
    ids.flatMap((id) => (id === missing ? [] : [speech.entry(id), speech.entry(id)])),
  );

/** Returns the items in the reverse order. */
export const backwards: Play = replying((question) => entriesFor(question).toReversed());

const replyingWith =
  (change: (value: unknown) => unknown): Play =>
  (question) =>
    send(question, question.speech.written(eachIn(goodReply(question), change)));

/** Sends each number as a string. */
export const numbersAsTexts: Play = replyingWith((value) =>
  typeof value === "number" ? String(value) : value,
);

/** Field names that no source uses, and `__proto__`, which is special in JavaScript. */
const foreign = JSON.parse(
  '{"bestbuyCost":3.5,"amazonRank":{"keepaId":1},"__proto__":{"price":1}}',
) as object;

/** Adds unknown fields to every object in the reply. */
export const foreignFields: Play = replyingWith((value) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.defineProperties({ ...value }, Object.getOwnPropertyDescriptors(foreign))
    : value,
);

/**
 * Applies `change` to every value inside a value, innermost first, and then to the value itself.
 */
function eachIn(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return change(value.map((one) => eachIn(one, change)));
  if (typeof value !== "object" || value === null) return change(value);
  return change(
    Object.fromEntries(Object.entries(value).map(([name, one]) => [name, eachIn(one, change)])),
  );
}
