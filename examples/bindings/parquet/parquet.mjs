// FOLDER: makes a Parquet file of each table that `paje csv -d FOLDER` wrote, by DuckDB (npm install @duckdb/node-api).
// Names are text, whatever they look like; times and values are double; user fields (--field-columns) get the type that
// suits all their texts.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const names = ['Container', 'ContainerAlias', 'Type', 'TypeAlias'];
const values = ['Value', 'ValueAlias'];
const times = ['Start', 'End', 'Duration'];
const tables = {
    containers: [['Path', 'Alias', 'Name', 'Type', 'TypeAlias', 'Parent', 'ParentAlias'], times],
    states: [[...names, ...values], times],
    events: [[...names, ...values], ['Time']],
    variables: [names, [...times, 'Value']],
    links: [[...names, ...values, 'From', 'FromAlias', 'To', 'ToAlias', 'Key'], times],
};

const folder = process.argv[2];
// The package is where npm put it: in the working folder, not beside this file.
const { DuckDBInstance } = createRequire(join(process.cwd(), '/'))('@duckdb/node-api');
const connection = await (await DuckDBInstance.create()).connect();
const string = (text) => `'${text.replaceAll("'", "''")}'`;
try {
    for (const [table, [texts, numbers]] of Object.entries(tables)) {
        const types = [...texts.map((name) => `'${name}': 'VARCHAR'`), ...numbers.map((name) => `'${name}': 'DOUBLE'`)];
        await connection.run(`COPY (FROM read_csv(${string(join(folder, table + '.csv'))}, header = true, delim = ',',
            quote = '"', escape = '"', new_line = '\\n', nullstr = '', sample_size = -1, types = {${types.join(', ')}}))
            TO ${string(join(folder, table + '.parquet'))} (FORMAT parquet)`);
    }
} catch (error) {
    process.stderr.write(`parquet.mjs: ${error.message}\n`);
    process.exitCode = 1;
}
connection.closeSync();
