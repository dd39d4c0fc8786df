import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { offerSchema } from "../../shared/scrapers/offer.ts";
import { productFieldSchemas } from "../../shared/scrapers/product-fields.ts";
import type { SourceReport } from "../../shared/sources/registry/report.ts";
import {
  type MisbehavingServer,
  type SourceSpeech,
  startMisbehaving,
} from "./misbehaving-server.ts";
import * as source from "./misbehaviors.ts";
import { brandedKeysIn } from "./output-keys.ts";

/**
 * An answer of a scraper, offer scraper or offer checker. In the answer of an offer checker, `id`
 * is the ID of the offer.
 */
export interface PortAnswer {
  readonly id: string;
  readonly status: string;
  readonly fetchedAt: string;
  readonly fields?: unknown;
  readonly offers?: readonly unknown[];
  readonly totalOffers?: number;
  readonly buyable?: boolean;
}

/**
 * Reads through the real HTTP client. The limits of the client apply across reads, as in a process
 * of the service.
 */
export interface SourceReader {
  read(ids: readonly string[], deadline: Date): Promise<readonly PortAnswer[]>;
  /** The reports of the reads so far, one for each read. */
  readonly reports: readonly SourceReport[];
}

export interface ReaderOptions {
  /**
   * Timeout of one attempt in milliseconds.
   * @default the adapter's timeout
   */
  readonly tryTimeoutMs?: number;
}

/** An adapter configured for one scraper, and the source that it reads. */
export interface MisbehavingSubject {
  /** The names of the adapter and the scraper, for test titles. */
  readonly name: string;
  readonly start: (url: string, options: ReaderOptions) => SourceReader;
  readonly speech: SourceSpeech;
  /** Items that the source returns by default. Their strings contain letters beyond ASCII. */
  readonly ids: readonly [string, string];
  /** An ID that no request contains. */
  readonly stranger: string;
  /** Number of requests about items in a read of both IDs from a correct source. */
  readonly questions: 1 | 2;
  /** The status that the scraper returns for an ID that a complete reply does not contain. */
  readonly leftOut: "not_found" | "unavailable";
  /**
   * The effect of bytes that are invalid in the charset: an unreadable reply, or a wrong letter.
   */
  readonly wrongBytes: "no reply" | "a wrong letter";
  /**
   * True if an item with two different prices in one reply is unavailable.
   * @default false, so that the first price is used
   */
  readonly refusesContradictions?: boolean;
}

interface Trial extends ReaderOptions {
  readonly withinMs?: number;
  readonly ids?: readonly string[];
}

interface Outcome {
  readonly answers: readonly PortAnswer[];
  readonly server: MisbehavingServer;
  readonly tookMs: number;
  readonly reports: readonly SourceReport[];
}

/**
 * The maximum number of requests of one read. A read makes one call for both items and, if that
 * call fails, one call for each item. Each call has three attempts.
 */
const questionsMax = 9;
/**
 * A time in milliseconds that is longer than any read of a source that answers, even on a slow
 * machine.
 */
const patienceMs = 120_000;
/**
 * The longest timeout that an adapter's configuration allows, so that only the deadline ends an
 * attempt.
 */
const longestTryMs = 300_000;
/** The shortest timeout that the configuration of each adapter allows. */
const shortestTryMs = 1_000;
/** A deadline, in milliseconds from now, that the test expects to pass. */
const shortMs = 700;
/** A number of bytes above the size limit of a reply plus the socket buffers of both ends. */
const bytesSentMax = 32 * 1_024 * 1_024;
const turnedAwayMax = 5;

/**
 * Registers the tests that every adapter must pass, whatever its source returns. Each test starts a
 * separate source.
 */
export function misbehavingSourceContract(subject: MisbehavingSubject): void {
  const { ids, speech, stranger, questions } = subject;
  const [first, second] = ids;
  const noAnswers = ["unavailable", "unavailable"];

  async function playing<Result>(
    play: source.Play,
    use: (server: MisbehavingServer) => Promise<Result>,
  ): Promise<Result> {
    const server = await startMisbehaving(speech, play);
    try {
      return await use(server);
    } finally {
      await server.stop();
    }
  }

  const reading = async (
    server: MisbehavingServer,
    { withinMs = patienceMs, ids: asked = ids, ...options }: Trial = {},
  ): Promise<Outcome> => {
    const reader = subject.start(server.url, options);
    const startedAt = Date.now();
    const read = await reader.read(asked, new Date(startedAt + withinMs));
    const tookMs = Date.now() - startedAt;
    const answers = placeless(read, server.url);
    expectLegal(answers, asked);
    return { answers, server, tookMs, reports: reader.reports };
  };

  const outcome = (play: source.Play, trial: Trial = {}): Promise<Outcome> =>
    playing(play, (server) => reading(server, trial));

  /**
   * Reads with a deadline that passes only after the first request reached the source. On a slow
   * machine, the deadline can pass before that. The read is then repeated with twice the time.
   */
  const pastDeadline = async (
    play: source.Play,
    check: (server: MisbehavingServer) => Promise<void> = async () => {},
  ): Promise<Outcome> => {
    for (let withinMs = shortMs; ; withinMs *= 2) {
      const tried = await playing(play, async (server) => {
        const result = await reading(server, { withinMs, tryTimeoutMs: longestTryMs });
        await check(server);
        return result;
      });
      if (tried.server.questions.length > 0 || withinMs > patienceMs) return tried;
    }
  };

  /**
   * Reads a source that does not respond to the first call. On a slow machine, the timeout can also
   * end a call that the source responds to. The read is then repeated with twice the timeout, until
   * the number of requests is as expected.
   */
  const afterOneHang = async (requests: number): Promise<Outcome> => {
    for (let tryTimeoutMs = shortestTryMs; ; tryTimeoutMs *= 2) {
      const tried = await outcome(source.once(source.hang), { tryTimeoutMs });
      if (tried.server.questions.length === requests || tryTimeoutMs > patienceMs) return tried;
    }
  };

  /** The answers of the adapter when the source behaves correctly. */
  let honest: Promise<readonly TimelessAnswer[]> | undefined;
  const good = (): Promise<readonly TimelessAnswer[]> =>
    (honest ??= outcome(source.behave).then(({ answers }) => timeless(answers)));

  /** Expects the same answers as from a correct source, with `more` additional requests. */
  const expectGood = async ({ answers, server }: Outcome, more = 0): Promise<void> => {
    expect(timeless(answers)).toEqual(await good());
    expect(server.questions).toHaveLength(questions + more);
  };

  /** Expects every item to be unavailable, after at least one and at most `atMost` requests. */
  const expectNothing = ({ answers, server }: Outcome, atMost: number): void => {
    expect(new Set(statuses(answers))).toEqual(new Set(["unavailable"]));
    expect(server.questions.length).toBeGreaterThan(0);
    expect(server.questions.length).toBeLessThanOrEqual(atMost);
  };

  /** Expects the correct answer for the first item, and only the status for the second. */
  const expectOnlyFirst = async ({ answers }: Outcome, status: string): Promise<void> => {
    expect(timeless(answers)).toEqual([(await good())[0], { id: second, status }]);
  };

  describe.concurrent(`${subject.name}, with a source that`, () => {
    it("behaves correctly: the adapter returns both requested items with the status 'ok'", async () => {
      await expectGood(await outcome(source.behave));
      expect((await good()).map(({ status }) => status)).toEqual(["ok", "ok"]);
    });

    it("returns 429 with Retry-After in seconds: the adapter waits that long and repeats the call once", async () => {
      const tried = await outcome(source.once(source.tooOftenFor(1)));
      await expectGood(tried, 1);
      expect(lastAt(tried) - firstAt(tried)).toBeGreaterThanOrEqual(980);
      expect(tried.reports[0]?.calls.throttled).toBe(1);
    });

    it("returns 429 with Retry-After as a date: the adapter waits until then and repeats the call once", async () => {
      let until = new Date(0);
      const play = source.tooOftenUntil((time) => (until = time));
      const tried = await outcome(source.once(play));
      await expectGood(tried, 1);
      expect(lastAt(tried)).toBeGreaterThanOrEqual(until.getTime() - 20);
    });

    it.each([
      ["in seconds", source.tooOftenFor(3_600)],
      ["as a date", source.tooOftenUntilTomorrow],
    ])(
      "returns 429 with a Retry-After (%s) that ends after the deadline: the adapter stops immediately",
      async (_, play) => {
        const tried = await outcome(play);
        expectNothing(tried, questions);
        expect(tried.tookMs).toBeLessThan(patienceMs);
      },
    );

    it("always returns 429: the adapter makes each call at most three times", async () => {
      expectNothing(await outcome(source.tooOftenFor(0)), 3 * questions);
    });

    it("returns 500 once: the adapter repeats the call once", async () => {
      await expectGood(await outcome(source.once(source.status(500))), 1);
    });

    it("always returns 500: the adapter returns all items as unavailable, after at most nine requests for two items", async () => {
      expectNothing(await outcome(source.status(500)), questionsMax);
    });

    it.each([400, 401, 404, 422])(
      "returns the status %d for the whole call: the adapter returns all items as unavailable",
      async (code) => {
        expectNothing(await outcome(source.status(code)), 3);
      },
    );

    it("never responds: the adapter returns at the deadline and aborts its calls", async () => {
      const tried = await pastDeadline(source.hang, (server) =>
        expect.poll(() => server.underWay(), { timeout: patienceMs }).toBe(0),
      );
      expectNothing(tried, questions);
    });

    it("does not respond to the first call: the adapter aborts the attempt at its timeout and repeats the call once", async () => {
      await expectGood(await afterOneHang(questions + 1), 1);
    });

    it.each([
      ["resets the connection", source.reset],
      ["closes the connection within a body", source.cutOff],
    ])(
      "has a fault at its first reply (%s): the adapter repeats the call once",
      async (_, play) => {
        await expectGood(await outcome(source.once(play)), 1);
      },
    );

    it("resets every connection: the adapter returns all items as unavailable, after at most nine requests for two items", async () => {
      expectNothing(await outcome(source.reset), questionsMax);
    });

    it.each([
      ["gzip", source.gzip],
      ["brotli", source.br],
    ])(
      "compresses its replies with the encoding %s: the adapter decompresses and parses the replies",
      async (_, play) => {
        await expectGood(await outcome(play));
      },
    );

    it("declares gzip for a body of plain text: the adapter returns all items as unavailable", async () => {
      expectNothing(await outcome(source.falselyPacked), questionsMax);
    });

    it("never ends its body: the adapter stops reading at the size limit", async () => {
      const tried = await playing(source.endless, async (server) => {
        const result = await reading(server, { ids: [first] });
        await expect.poll(() => server.underWay(), { timeout: patienceMs }).toBe(0);
        return result;
      });
      expectNothing(tried, 1);
      expect(tried.reports[0]?.calls.replies).toHaveProperty("too_large");
      expect(tried.server.bytesSent()).toBeLessThan(bytesSentMax);
    });

    it("sends a small body that decompresses to a large one: the adapter applies the size limit to the decompressed body", async () => {
      const tried = await outcome(source.bomb, { ids: [first] });
      expectNothing(tried, 1);
      expect(tried.reports[0]?.calls.replies).toHaveProperty("too_large");
    });

    it("sends its body slowly: the adapter returns at the deadline", async () => {
      expectNothing(await pastDeadline(source.dripping), questions);
    });

    it.each([
      ["UTF-8 without a charset", source.withoutCharset],
      ["Latin-1 with its charset", source.written("latin1", "ISO-8859-1")],
      ["Latin-1 with its charset in quotes", source.written("latin1", '"iso-8859-1"')],
    ])(
      "sends its body in one of the accepted encodings (%s): the adapter reads every character",
      async (_, play) => {
        await expectGood(await outcome(play));
      },
    );

    it(`sends bytes that are invalid in its charset: the adapter reads ${subject.wrongBytes}, and no wrong number`, async () => {
      const { answers } = await outcome(source.written("latin1", "utf-8"));
      if (subject.wrongBytes === "no reply") return expect(statuses(answers)).toEqual(noAnswers);
      expect(statuses(answers)).toEqual(["ok", "ok"]);
      expect(inAscii(timeless(answers))).toEqual(inAscii(await good()));
    });

    it("declares UTF-16 for a body in another encoding: the adapter returns all items as unavailable", async () => {
      expectNothing(await outcome(source.written("utf8", "utf-16le")), 3);
    });

    it("declares an unknown charset: the adapter reads UTF-8, or returns all items as unavailable", async () => {
      const { answers } = await outcome(source.written("utf8", "x-none"));
      if (statuses(answers)[0] !== "unavailable") expect(timeless(answers)).toEqual(await good());
      else expect(statuses(answers)).toEqual(noAnswers);
    });

    it.each([
      ["status 200", source.block(200)],
      ["status 403", source.block(403)],
    ])("responds with a CAPTCHA page (%s): the adapter stops after five calls", async (_, play) => {
      await playing(play, async (server) => {
        const reader = subject.start(server.url, {});
        for (let reads = 0; reads < turnedAwayMax + 2; reads += 1) {
          const answers = await reader.read([first], new Date(Date.now() + patienceMs));
          expectLegal(answers, [first]);
          expect(statuses(answers)).toEqual(["unavailable"]);
        }
        expect(server.questions).toHaveLength(turnedAwayMax);
        const opened = reader.reports.map(({ calls }) => calls.circuitsOpened);
        expect(opened.reduce((sum, count) => sum + count)).toBe(1);
      });
    });

    it.each([
      ["an empty reply", source.empty],
      ["only the beginning of a reply", source.truncated],
    ])(
      "sends an incomplete reply (%s): the adapter returns all items as unavailable",
      async (_, play) => {
        expectNothing(await outcome(play), 3);
      },
    );

    it(`omits a requested ID from an otherwise complete reply: the adapter returns the status '${subject.leftOut}' for that ID`, async () => {
      await expectOnlyFirst(await outcome(source.without(second)), subject.leftOut);
    });

    it("returns another ID instead of a requested ID: the adapter returns the requested item as unavailable, and omits the other ID", async () => {
      await expectOnlyFirst(await outcome(source.insteadOf(second, stranger)), "unavailable");
    });

    it("returns more items than requested: the adapter returns only the requested items", async () => {
      await expectGood(await outcome(source.withStranger(stranger)));
    });

    it("returns items in another order than the request: the adapter matches the items by ID", async () => {
      await expectGood(await outcome(source.backwards));
    });

    const refuses = subject.refusesContradictions === true;
    it(`returns each ID twice, with different prices: the adapter returns ${refuses ? "the items as unavailable" : "the first price"}`, async () => {
      const doubled = await outcome(source.doubled);
      if (refuses) return expect(statuses(doubled.answers)).toEqual(noAnswers);
      return expectGood(doubled);
    });

    it("returns one ID twice and omits another: the adapter returns the omitted item as unavailable", async () => {
      await expectOnlyFirst(await outcome(source.doubledWithout(second)), "unavailable");
    });

    it("sends numbers as strings: the adapter returns numbers", async () => {
      await expectGood(await outcome(source.numbersAsTexts));
    });

    it("sends fields that the adapter does not know: the adapter does not return these fields", async () => {
      await expectGood(await outcome(source.foreignFields));
    });
  });
}

const statuses = (answers: readonly PortAnswer[]): string[] => answers.map(({ status }) => status);

type TimelessAnswer = Omit<PortAnswer, "fetchedAt">;

const timeless = (answers: readonly PortAnswer[]): TimelessAnswer[] =>
  answers.map(({ fetchedAt: _at, ...answer }) => answer);

/** Removes the source's address from answers, because each test's source has another address. */
const placeless = (answers: readonly PortAnswer[], url: string): readonly PortAnswer[] =>
  JSON.parse(JSON.stringify(answers).replaceAll(url, "http://source.example"));

const firstAt = ({ server }: Outcome): number => server.questions[0]?.at.getTime() ?? 0;
const lastAt = ({ server }: Outcome): number => server.questions.at(-1)?.at.getTime() ?? 0;

/** Replaces the non-ASCII letters in answers, because a wrong charset may change them. */
const inAscii = (answers: readonly TimelessAnswer[]): unknown =>
  JSON.parse(JSON.stringify(answers).replaceAll(/[^ -~]/g, ""));

const fieldsSchema = v.object(productFieldSchemas);
const answerKeys = ["buyable", "fetchedAt", "fields", "id", "offers", "status", "totalOffers"];

/** Expects one answer for each requested ID, in order, in a form that the port's types allow. */
function expectLegal(answers: readonly PortAnswer[], ids: readonly string[]): void {
  expect(answers.map(({ id }) => id)).toEqual(ids);
  for (const answer of answers) {
    const { status, fetchedAt, fields, offers, ...rest } = answer;
    const isFound = status === "ok" || status === "partial";
    expect(["ok", "partial", "not_found", "unavailable"]).toContain(status);
    expect(new Date(fetchedAt).toISOString()).toBe(fetchedAt);
    expect(answerKeys).toEqual(expect.arrayContaining(Object.keys(answer)));
    // Only an item that was found has fields, offers or a verdict.
    expect(fields !== undefined || offers !== undefined || rest.buyable !== undefined).toBe(
      isFound,
    );
    // The schema drops unknown keys, so equality proves that there are none at any depth.
    if (fields !== undefined) expect(v.parse(fieldsSchema, fields)).toEqual(fields);
    for (const offer of offers ?? []) expect(v.parse(offerSchema, offer)).toEqual(offer);
  }
  expect(brandedKeysIn(answers)).toEqual([]);
}
