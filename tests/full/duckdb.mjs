// FOLDER DATABASE [SQL]: runs the SQL, or else standard input, in DuckDB, statement by statement up to an error; prints
// the rows of SELECT with tabs between columns.  FOLDER is that in which `npm install` put @duckdb/node-api.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const SELECT = 1;
const [folder, database, sql] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(resolve(folder) + '/')('@duckdb/node-api');
const connection = await (await DuckDBInstance.create(database)).connect();
try {
    for (const statement of (sql ?? readFileSync(0, 'utf8')).split(/;\n/)) {
        if (!statement.trim())
            continue;
        const result = await connection.runAndReadAll(statement);
        if (result.statementType === SELECT)
            for (const row of result.getRows())
                process.stdout.write(row.map((one) => one ?? '').join('\t') + '\n');
    }
} catch (error) {
    process.stderr.write(error.message + '\n');
    process.exitCode = 1;
}
connection.closeSync();
