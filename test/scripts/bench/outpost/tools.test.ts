import { describe, expect, it } from "vitest";
import {
  findTools,
  type Machine,
  type ToolValues,
} from "../../../../scripts/bench/outpost/tools.ts";

const machineWith = (files: readonly string[], platform = "linux"): Machine => ({
  platform,
  folders: ["/first", "/second"],
  exists: (path) => files.includes(path),
});

const servers = [
  "/first/redis-server",
  "/second/postgres",
  "/second/initdb",
  "/first/rabbitmq-server",
  "/second/epmd",
];
const serverPaths = {
  redis: "/first/redis-server",
  postgres: "/second/postgres",
  initdb: "/second/initdb",
  rabbitmq: "/first/rabbitmq-server",
  epmd: "/second/epmd",
};
const checkout = "/src/cmd/outpost-server/main.go";

describe("the search for the programs that the bench 'outpost' starts", () => {
  it("finds the servers in the folders of the machine, and the built programs of Outpost", () => {
    const machine = machineWith([...servers, "/built/outpost", "/built/outpost-server"]);
    expect(findTools({ binary: "/built/outpost" }, machine)).toEqual({
      tools: { ...serverPaths, outpost: { built: "/built" } },
    });
  });

  it("finds a checkout of Outpost, and finds Go, which builds the checkout", () => {
    const machine = machineWith([...servers, checkout, "/second/go"]);
    expect(findTools({ source: "/src" }, machine)).toEqual({
      tools: { ...serverPaths, outpost: { source: "/src", go: "/second/go" } },
    });
  });

  it("uses the first folder of the machine that contains a program", () => {
    const machine = machineWith([...servers, "/second/redis-server", checkout, "/first/go"]);
    expect(findTools({ source: "/src" }, machine)).toMatchObject({
      tools: { redis: "/first/redis-server" },
    });
  });

  it("prefers the programs that the options name", () => {
    const given = ["/my/redis", "/pg/postgres", "/pg/initdb", "/my/rabbit", "/my/epmd", "/my/go"];
    const values: ToolValues = {
      source: "/src",
      go: "/my/go",
      redis: "/my/redis",
      postgres: "/pg",
      rabbitmq: "/my/rabbit",
      epmd: "/my/epmd",
    };
    expect(findTools(values, machineWith([...servers, ...given, checkout]))).toEqual({
      tools: {
        redis: "/my/redis",
        postgres: "/pg/postgres",
        initdb: "/pg/initdb",
        rabbitmq: "/my/rabbit",
        epmd: "/my/epmd",
        outpost: { source: "/src", go: "/my/go" },
      },
    });
  });

  it("does not require Go if the options name the built programs of Outpost", () => {
    const machine = machineWith([...servers, "/built/outpost", "/built/outpost-server"]);
    expect(findTools({ source: "/src", binary: "/built/outpost" }, machine)).toHaveProperty(
      "tools",
    );
  });
});

describe("the messages about missing programs of the bench 'outpost'", () => {
  it("explain for each missing program how to install it and which option names it", () => {
    expect(findTools({}, machineWith([]))).toEqual({
      missing: [
        "outpost is missing: clone https://github.com/hookdeck/outpost and pass --source <folder>, or pass --binary <file>.",
        "postgres is missing: install it with apt-get install postgresql, or pass --postgres <folder>.",
        "initdb is missing: install it with apt-get install postgresql, or pass --postgres <folder>.",
        "redis-server is missing: install it with apt-get install redis-server, or pass --redis <file>.",
        "rabbitmq-server is missing: install it with apt-get install rabbitmq-server, or pass --rabbitmq <file>.",
        "epmd is missing: install it with apt-get install rabbitmq-server, or pass --epmd <file>.",
      ],
    });
  });

  it("name Go if the options name a checkout of Outpost", () => {
    expect(findTools({ source: "/src" }, machineWith([...servers, checkout]))).toEqual({
      missing: ["go is missing: install it from https://go.dev/doc/install, or pass --go <file>."],
    });
  });

  it.each<readonly [ToolValues, string]>([
    [
      { binary: "/built/outpost", redis: "/no" },
      "redis-server is missing: /no does not exist. Correct --redis.",
    ],
    [
      { binary: "/built/outpost", postgres: "/first" },
      "postgres is missing: /first/postgres does not exist. Correct --postgres.",
    ],
    [
      { source: "/elsewhere", go: "/built/outpost" },
      "outpost is missing: /elsewhere/cmd/outpost-server/main.go does not exist. Correct --source.",
    ],
    [
      { binary: "/other/outpost" },
      "outpost-server is missing: /other/outpost-server does not exist. Correct --binary.",
    ],
  ])("name the option whose path does not exist (%j)", (values, line) => {
    const files = [...servers, "/built/outpost", "/built/outpost-server", "/other/outpost"];
    const found = findTools(values, machineWith(files));
    expect(found).toMatchObject({ missing: expect.arrayContaining([line]) });
  });

  it("name the platform if it is not Linux", () => {
    const machine = machineWith([...servers, "/built/outpost", "/built/outpost-server"], "darwin");
    expect(findTools({ binary: "/built/outpost" }, machine)).toEqual({
      missing: ['The bench reads /proc. Run it on Linux (got "darwin").'],
    });
  });
});
