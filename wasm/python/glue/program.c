/* Works on the parser's own tree: converting it to Python objects and back costs more than all the rest of a run. */
#define Py_BUILD_CORE 1
#include "program.h"

#include <string.h>

#include "internal/pycore_ast.h"
#include "internal/pycore_compile.h"
#include "internal/pycore_pyarena.h"
#include "internal/pycore_parser.h"

/* Turns a trailing expression into an assignment. Non-zero with an exception set: it could not. */
static int keep_result(mod_ty module, PyObject *result_name, PyArena *arena)
{
    asdl_stmt_seq *body = module->v.Module.body;
    Py_ssize_t count = asdl_seq_LEN(body);
    stmt_ty last;
    expr_ty value, target;
    asdl_expr_seq *targets;

    if (count == 0)
        return 0;
    last = asdl_seq_GET(body, count - 1);
    if (last->kind != Expr_kind)
        return 0;
    value = last->v.Expr.value;
    target = _PyAST_Name(result_name, Store, value->lineno, value->col_offset, value->end_lineno,
                         value->end_col_offset, arena);
    targets = _Py_asdl_expr_seq_new(1, arena);
    if (target == NULL || targets == NULL)
        return -1;
    asdl_seq_SET(targets, 0, target);
    last = _PyAST_Assign(targets, value, NULL, last->lineno, last->col_offset, last->end_lineno,
                         last->end_col_offset, arena);
    if (last == NULL)
        return -1;
    asdl_seq_SET(body, count - 1, last);
    return 0;
}

PyObject *program_compile(PyObject *source, PyObject *filename, PyObject *result_name)
{
    PyCompilerFlags flags = {
        .cf_flags = PyCF_ALLOW_TOP_LEVEL_AWAIT | PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE,
        .cf_feature_version = PY_MINOR_VERSION,
    };
    PyObject *code = NULL;
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(source, &length);
    PyArena *arena;
    mod_ty module;

    if (text == NULL)
        return NULL;
    if (strlen(text) != (size_t)length) {
        PyErr_SetString(PyExc_SyntaxError, "source code string cannot contain null bytes");
        return NULL;
    }
    arena = _PyArena_New();
    if (arena == NULL)
        return NULL;
    module = _PyParser_ASTFromString(text, filename, Py_file_input, &flags, arena);
    if (module != NULL && keep_result(module, result_name, arena) == 0)
        code = (PyObject *)_PyAST_Compile(module, filename, &flags, -1, arena);
    _PyArena_Free(arena);
    return code;
}
