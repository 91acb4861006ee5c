/** Who may import whom. Folders follow the way of a message, and imports only go the way that docs/architecture.md draws. */
const deciding =
  "^src/delivery/(transition|move|moves-of-sending|moves-of-looking|moves-of-ending|decide|decision|silence|observe|observation|anchors|sufficiency|acknowledgement|retry|record|attempt|digest|prompt-text|provider-error|tool-names|policy|lane|delivery-event|timing|upcast|claims|further|daily-limit)\\.ts$|^src/events/(signal|slice-signals|turn-tracker|item-book|known-ids|bounded-event)\\.ts$";

module.exports = {
  forbidden: [
    {
      name: "no-circular",
      severity: "error",
      comment: "Two files that need each other are one file, or a third is missing.",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "deciding-files-do-no-io",
      severity: "error",
      comment: "Decisions are pure: no clock, no random source, no I/O. (node:crypto is there for hashes only.)",
      from: { path: deciding },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?crypto$" },
    },
    {
      name: "deciding-files-import-only-each-other",
      severity: "error",
      comment: "A decision that needs something else at run time is not a decision.",
      from: { path: deciding },
      to: { pathNot: [deciding, "^(node:)?crypto$"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "delivery-imports-only-types-and-ports",
      severity: "error",
      from: { path: "^src/(delivery|events)/" },
      to: {
        path: "^src/(mail|runtimes|store|transports|daemon)/",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "delivery-knows-no-adapter",
      severity: "error",
      from: { path: "^src/(delivery|events)/" },
      to: { path: "^src/((runtimes|store)/.+/|transports/|daemon/)" },
    },
    {
      name: "adapters-do-not-import-each-other",
      severity: "error",
      comment: "Runtimes, stores and transports meet in the daemon only.",
      from: { path: "^src/(runtimes|store|transports)/" },
      to: { path: "^src/(runtimes|store|transports|daemon)/", pathNot: "^src/$1/" },
    },
    {
      name: "only-the-daemon-composes",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/daemon/" },
      to: { path: "^src/daemon/" },
    },
    {
      name: "the-client-stands-alone",
      severity: "error",
      comment: "It is published for other programs, and runs in browsers.",
      from: { path: "^src/client/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/", pathNot: "^src/client/" },
    },
    {
      name: "the-client-needs-no-node",
      severity: "error",
      from: { path: "^src/client/", pathNot: "\\.test\\.ts$" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "the-scripted-model-stands-alone",
      severity: "error",
      comment: "It plays somebody else's server, so it knows nothing of this one.",
      from: { path: "^src/scripted-model/" },
      to: { path: "^src/", pathNot: "^src/scripted-model/" },
    },
    {
      name: "only-the-daemon-runs-the-scripted-model",
      severity: "error",
      comment: "The demo needs it; nothing else may behave differently because the model is scripted.",
      from: { path: "^src/", pathNot: "^src/(scripted-model|daemon)/|\\.test\\.ts$" },
      to: { path: "^src/scripted-model/" },
    },
    {
      name: "mail-knows-no-adapter",
      severity: "error",
      from: { path: "^src/mail/" },
      to: { path: "^src/((runtimes|store)/.+/|transports/)" },
    },
    {
      name: "no-orphans",
      severity: "error",
      from: { orphan: true, path: "^src/", pathNot: "\\.test\\.ts$" },
      to: {},
    },
    {
      name: "source-needs-no-test-tools",
      severity: "error",
      from: { path: "^src/", pathNot: "\\.test\\.ts$" },
      to: { path: "^test/|\\.test\\.ts$|node_modules/(vitest|fast-check)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { extensions: [".ts", ".js"] },
  },
};
