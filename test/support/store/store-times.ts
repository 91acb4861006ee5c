/** Moves an old store to the present: at their real age, records would eventually expire and be removed. */
import type Database from "better-sqlite3";

/** Moves every timestamp in milliseconds that a text contains. */
export function laterBy(ms: number) {
  return (text: string) => text.replace(/\b1[6-9]\d{11}\b/g, (at) => String(Number(at) + ms));
}

/** In every table, without the triggers that would treat this as a change. */
export function moveTimes(db: Database.Database, later: (text: string) => string): void {
  const triggers = db.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all() as {
    name: string;
    sql: string;
  }[];
  const columns = db
    .prepare(
      `SELECT t.name AS tbl, c.name AS col FROM pragma_table_list() t JOIN pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .all() as { tbl: string; col: string }[];
  db.function("later", (value) => {
    if (typeof value === "string") return later(value);
    return typeof value === "number" ? Number(later(String(value))) : value;
  });
  db.transaction(() => {
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
    for (const { tbl, col } of columns)
      db.exec(`UPDATE "${tbl}" SET "${col}" = later("${col}") WHERE "${col}" IS NOT NULL`);
    for (const { sql } of triggers) db.exec(sql);
  })();
}
