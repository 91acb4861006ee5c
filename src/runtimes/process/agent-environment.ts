/** The environment of agent programs: selects the variables that they, their providers and their tools need. Pure. */

/** Set for every process that Waybill starts, and inherited by its child processes. */
export const nonceVariable = "WAYBILL_AGENT_NONCE";

/** Variables that differ between terminals. A change does not require a restart of the program. */
const terminalVariables =
  /^(PATH|SHELL|USER|LOGNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|TMPDIR|TEMP|TMP|SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_TTY|DISPLAY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|XDG_SESSION_[A-Z]+|EDITOR|VISUAL|PAGER|(NPM_CONFIG|npm_config)_[A-Za-z_]+)$/;

/** Directories, network access and development tools. */
const systemVariables =
  /^(HOME|XDG_[A-Z]+_(HOME|DIRS?)|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|GIT_SSL_CAINFO|GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)|GIT_SSH|GIT_SSH_COMMAND|[A-Z0-9_]+_(HOME|ROOT)|GOPATH|GOBIN|GOPROXY|GOFLAGS|NVM_DIR|PYTHONPATH|VIRTUAL_ENV|PKG_CONFIG_PATH|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|DOCKER_HOST|KUBECONFIG)$/;

/** Keys of model providers, and other variables that their libraries read. */
const providerVariables =
  /^([A-Z0-9_]+_API_(KEY|TOKEN|BASE|URL)|[A-Z0-9_]+_BASE_URL|(ANTHROPIC|OPENAI|AZURE|AWS|GOOGLE|GEMINI|VERTEX|CLOUDFLARE|GITHUB|GH|GITLAB|HF|HUGGINGFACE|OLLAMA|OPENROUTER|MISTRAL|GROQ|XAI|DEEPSEEK|SNOWFLAKE|DATABRICKS|AICORE|AI_GATEWAY)_[A-Z0-9_]+|GCLOUD_PROJECT|CLOUDSDK_[A-Z_]+)$/;

const waybillVariables = /^(WAYBILL|PI_AGENT|TELEGRAM)_/;

export type AgentEnvironment = Record<string, string>;

/** `own` selects the variables of the program itself. */
export function inheritedEnvironment(env: NodeJS.ProcessEnv, own: (name: string) => boolean): AgentEnvironment {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !waybillVariables.test(entry[0]) && (isShared(entry[0]) || own(entry[0])),
    ),
  );
}

function isShared(name: string): boolean {
  return [terminalVariables, systemVariables, providerVariables].some((names) => names.test(name));
}

export function isTerminalVariable(name: string): boolean {
  return terminalVariables.test(name);
}

const secretNames = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS|CONTENT/;
/** The value of a header line, without the scheme before a token. */
const headerValue = /^[^:\n]+:[ \t]*(?:(?:Bearer|Basic)[ \t]+)?(\S.*?)[ \t]*$/gim;
/** The password or token before the host of a URL. */
const urlPassword = /:\/\/(?:[^\s/:]*:)?([^\s/]+)@/g;

/** Values that must not appear in error messages. The longest comes first, since one may contain another. */
export function secretValues(environment: AgentEnvironment): string[] {
  const found = Object.entries(environment).flatMap(([name, value]) => [
    ...(secretNames.test(name) ? [value] : []),
    ...(name.endsWith("_HEADERS") ? matches(value, headerValue) : []),
    ...matches(value, urlPassword),
  ]);
  return found.filter((secret) => secret.length >= 6).sort((one, other) => other.length - one.length);
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = ""]) => found);
}

/** Call this before truncating a text, since it does not find parts of a secret. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "(secret)"), text);
}
