/**
 * What a run writes to SQLite: its statements with their values, by transaction. Replayed without Waybill's code, this is
 * the upper limit for any program with these rows and commits.
 */
import Database from "better-sqlite3";

const writes = /^\s*(WITH\b[^;]*\b)?(INSERT|UPDATE|DELETE|REPLACE)\b/i;
const begins = /^\s*BEGIN\b/i;
const ends = /^\s*(COMMIT|END)\b/i;
const undoes = /^\s*ROLLBACK\b/i;
const marks = /^\s*SAVEPOINT\b/i;
const undoesOne = /^\s*ROLLBACK TO\b/i;

/** Records what every connection of this process writes from now on, until `stop` is called. */
export function recordWrites() {
  const { prepare, exec } = Database.prototype;
  const transactions = [];
  let open = null;
  let marked = 0;
  let recording = true;
  const ran = (sql, values) => {
    if (!recording) return;
    if (marks.test(sql)) marked = open?.length ?? 0;
    else if (undoesOne.test(sql)) open?.splice(marked);
    else if (undoes.test(sql)) throw new Error("A transaction was rolled back; its writes cannot be repeated.");
    else if (begins.test(sql)) open = [];
    else if (ends.test(sql)) {
      if (open?.length > 0) transactions.push(open);
      open = null;
    } else if (writes.test(sql)) {
      if (!open) throw new Error(`Write outside of the recorded transactions: ${sql.slice(0, 80)}`);
      open.push({ sql, values });
    }
  };
  Database.prototype.exec = function (sql) {
    ran(sql, []);
    return exec.call(this, sql);
  };
  Database.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    if (![writes, begins, ends, undoes, marks].some((kind) => kind.test(sql))) return statement;
    for (const way of ["run", "get", "all"]) {
      const original = statement[way];
      statement[way] = function (...values) {
        ran(sql, values);
        return original.apply(this, values);
      };
    }
    return statement;
  };
  return {
    /** Discards what was recorded until now. */
    clear: () => void transactions.splice(0),
    stop() {
      recording = false;
      Object.assign(Database.prototype, { prepare, exec });
      return transactions;
    },
  };
}

/** The very same statements on the same tables with the same indexes. */
export function repeatStatements(path, transactions) {
  const db = open(path);
  const prepared = new Map();
  const all = transactions.map((writes) => writes.map(({ sql, values }) => [statementOf(db, prepared, sql), values]));
  const took = timed(db, all, ([statement, values]) =>
    statement.reader ? statement.get(...values) : statement.run(...values),
  );
  db.close();
  return took;
}

/** The same number of rows and bytes, in one table with no index except its key. */
export function writePlainRows(path, transactions) {
  const db = open(path);
  db.exec("CREATE TABLE plain (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  const insert = db.prepare("INSERT INTO plain (body) VALUES (?)");
  const all = transactions.map((writes) => writes.map(({ values }) => "x".repeat(bytesOf(values))));
  const took = timed(db, all, (body) => insert.run(body));
  db.close();
  return took;
}

/** How long writing everything took, in milliseconds. */
function timed(db, transactions, write) {
  const [begin, commit] = [db.prepare("BEGIN IMMEDIATE"), db.prepare("COMMIT")];
  const started = performance.now();
  for (const writes of transactions) {
    begin.run();
    for (const one of writes) write(one);
    commit.run();
  }
  return performance.now() - started;
}

function open(path) {
  const db = new Database(path);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.pragma("foreign_keys = ON");
  return db;
}

function statementOf(db, prepared, sql) {
  const known = prepared.get(sql) ?? db.prepare(sql);
  prepared.set(sql, known);
  return known;
}

export function bytesOf(values) {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === "string" || value instanceof Uint8Array) bytes += value.length;
    else if (typeof value === "object" && value !== null) bytes += bytesOf(Object.values(value));
    else bytes += 8;
  }
  return bytes;
}
