/**
 * The imports between the files of the page, of types too, followed through re-exports to the file that
 * defines the name. Tests are left out.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * @param {string[]} files
 * @param {string} ui folder with the installed packages
 * @returns {Map<string, Map<string, number>>} file → imported file → line of the first import
 */
export function typescriptImports(files, ui) {
  const ts = createRequire(join(process.cwd(), ui, 'package.json'))('typescript');
  const modules = new Map(files.map((file) => [file, read(ts, file)]));
  const imports = new Map();
  for (const [file, { uses, exports }] of modules) {
    const targets = new Map();
    imports.set(file, targets);
    for (const { from, name, line } of [...uses, ...exports.filter((each) => each.from !== undefined)]) {
      for (const target of definers(modules, from, name, new Set())) {
        if (target !== file) targets.set(target, Math.min(line, targets.get(target) ?? line));
      }
    }
  }
  return imports;
}

/** The files that define a name which `file` exports; the file itself where that is not clear. */
function definers(modules, file, name, seen) {
  const module = modules.get(file);
  if (!module || seen.has(`${file} ${name}`)) return [];
  seen.add(`${file} ${name}`);
  if (name === undefined || module.defined.has(name)) return [file];
  const passed = module.exports.filter((each) => each.as === name && each.from !== undefined);
  if (passed.length > 0) return passed.flatMap((each) => definers(modules, each.from, each.name, seen));
  const stars = module.exports.filter((each) => each.as === undefined && each.from !== undefined);
  return stars.flatMap((each) => definers(modules, each.from, name, seen));
}

/** What a file imports, defines and passes on. A `name` of undefined is the file as a whole. */
function read(ts, file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const module = { uses: [], defined: new Set(), exports: [] };
  const lineOf = (node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) importsOf(ts, file, node, lineOf(node), module);
    else if (ts.isExportDeclaration(node)) exportsOf(file, node, lineOf(node), module);
    else if (ts.isExportAssignment(node)) module.defined.add('default');
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const from = node.arguments[0] && ts.isStringLiteral(node.arguments[0]) && fileOf(file, node.arguments[0].text);
      if (from) module.uses.push({ from, name: undefined, line: lineOf(node) });
    } else if (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) {
      namesOf(ts, node).forEach((name) => module.defined.add(name));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return module;
}

function importsOf(ts, file, node, line, module) {
  const from = fileOf(file, node.moduleSpecifier.text);
  if (!from) return;
  const clause = node.importClause;
  if (!clause || (clause.namedBindings && ts.isNamespaceImport(clause.namedBindings))) {
    module.uses.push({ from, name: undefined, line });
  }
  if (clause?.name) module.uses.push({ from, name: 'default', line });
  for (const { name, propertyName } of clause?.namedBindings?.elements ?? []) {
    module.uses.push({ from, name: (propertyName ?? name).text, line });
  }
}

function exportsOf(file, node, line, module) {
  const from = node.moduleSpecifier && fileOf(file, node.moduleSpecifier.text);
  if (!node.moduleSpecifier) {
    node.exportClause?.elements.forEach(({ name }) => module.defined.add(name.text));
  } else if (from && node.exportClause?.elements) {
    for (const { name, propertyName } of node.exportClause.elements) {
      module.exports.push({ from, name: (propertyName ?? name).text, as: name.text, line });
    }
  } else if (from) {
    // `export * as name` passes the whole file on, `export *` each name of it.
    module.exports.push({ from, name: undefined, as: node.exportClause?.name.text, line });
  }
}

function namesOf(ts, node) {
  const names = [];
  if (ts.getModifiers(node).some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) names.push('default');
  if (ts.isVariableStatement(node)) {
    const bound = (name) =>
      ts.isIdentifier(name) ? names.push(name.text) : name.elements.forEach((each) => each.name && bound(each.name));
    node.declarationList.declarations.forEach((declaration) => bound(declaration.name));
  } else if (node.name) names.push(node.name.text);
  return names;
}

/** The file that a relative import names. */
function fileOf(file, specifier) {
  if (!specifier.startsWith('.')) return undefined;
  const path = join(dirname(file), specifier);
  return [path, `${path}.ts`, `${path}.tsx`, join(path, 'index.ts'), join(path, 'index.tsx')].find(
    (candidate) => /\.tsx?$/.test(candidate) && existsSync(candidate),
  );
}
