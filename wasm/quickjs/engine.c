/*
 * QuickJS-ng as the host calls it (src/runtime/javascript/abi.ts tells the same in TypeScript).
 *
 * Values go to the host in boxes: addresses of a JSValue. Those that the host passes are borrowed, those that it gets it
 * owns and frees by freeValue, unless said otherwise. What an instance holds beside its memory is the stack's pointer
 * alone, which is the same between two calls: so a memory is all that an image has to keep.
 *
 * One unit with the engine, since some of what is called here is its own alone.
 */

#include "quickjs.c"

#define EXPORT(name) __attribute__((export_name(#name))) name
#define IMPORT(name) __attribute__((import_module("host"), import_name(#name))) name

typedef JSValue *Box;

/* A box that the engine owns from then on, or 0 for undefined. */
extern Box IMPORT(callFunction)(JSContext *context, int count, JSValueConst *arguments, int function);
extern int IMPORT(shouldInterrupt)(void);
/* C strings made by malloc, or 0 after raising an exception. */
extern char *IMPORT(normalizeModule)(JSContext *context, const char *base, const char *name);
extern char *IMPORT(loadModuleSource)(JSContext *context, const char *name);
/* Minutes from local time to UTC at a time in ms. */
extern int IMPORT(timezoneOffset)(const char *zone, double time);
extern void IMPORT(rejected)(JSContext *context, JSValueConst promise, JSValueConst reason, int is_handled);

/* Always a box: memory for one is part of what the host must have free. */
static Box box(JSValue value)
{
    Box made = malloc(sizeof(*made));
    if (!made)
        abort();
    *made = value;
    return made;
}

/* Local time. */

/* Its zone, as the host names it, which goes with the heap; UTC if it is empty. */
static char time_zone[64];

char *EXPORT(timeZone)(void)
{
    return time_zone;
}

static int host_timezone_offset(int64_t time)
{
    return time_zone[0] ? timezoneOffset(time_zone, time) : 0;
}

/* Runtimes and contexts. */

static int interrupt(JSRuntime *runtime, void *opaque)
{
    return shouldInterrupt();
}

/* A copy that the engine can free, of a text that the host made. */
static char *taken(JSContext *context, char *text)
{
    char *copy = text ? js_strdup(context, text) : NULL;
    free(text);
    return copy;
}

static char *normalize(JSContext *context, const char *base, const char *name, void *opaque)
{
    return taken(context, normalizeModule(context, base, name));
}

static JSModuleDef *load(JSContext *context, const char *name, void *opaque)
{
    char *source = loadModuleSource(context, name);
    JSValue compiled;
    JSModuleDef *module;

    if (!source)
        return NULL;
    compiled = JS_Eval(context, source, strlen(source), name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    free(source);
    if (JS_IsException(compiled))
        return NULL;
    module = JS_VALUE_GET_PTR(compiled);
    /* The context has it. */
    JS_FreeValue(context, compiled);
    return module;
}

static void track(JSContext *context, JSValueConst promise, JSValueConst reason, bool is_handled, void *opaque)
{
    rejected(context, promise, reason, is_handled);
}

JSRuntime *EXPORT(newRuntime)(void)
{
    JSRuntime *runtime = JS_NewRuntime();

    if (!runtime)
        return NULL;
    JS_SetInterruptHandler(runtime, interrupt, NULL);
    JS_SetModuleLoaderFunc(runtime, normalize, load, NULL);
    JS_SetHostPromiseRejectionTracker(runtime, track, NULL);
    return runtime;
}

void EXPORT(setMemoryLimit)(JSRuntime *runtime, size_t bytes)
{
    JS_SetMemoryLimit(runtime, bytes);
}

/* Counted from where the stack was when the runtime was made. */
void EXPORT(setMaxStackSize)(JSRuntime *runtime, size_t bytes)
{
    JS_SetMaxStackSize(runtime, bytes);
}

/* Has every call throw at once, until a size of the stack is set: jobs are dropped so. */
void EXPORT(forbidCalls)(JSRuntime *runtime)
{
    runtime->stack_limit = UINTPTR_MAX;
}

JSContext *EXPORT(newContext)(JSRuntime *runtime)
{
    return JS_NewContext(runtime);
}

void EXPORT(freeContext)(JSContext *context)
{
    JS_FreeContext(context);
}

Box EXPORT(globalObject)(JSContext *context)
{
    return box(JS_GetGlobalObject(context));
}

/* Where the state of Math.random is: 8 bytes, which must not all be zeros. */
uint64_t *EXPORT(randomState)(JSContext *context)
{
    return &context->random_state;
}

void *EXPORT(stackPointer)(void)
{
    return __builtin_frame_address(0);
}

/* Values. */

void EXPORT(freeValue)(JSContext *context, Box value)
{
    JS_FreeValue(context, *value);
    free(value);
}

Box EXPORT(duplicate)(JSContext *context, Box value)
{
    return box(JS_DupValue(context, *value));
}

Box EXPORT(newUndefined)(void)
{
    return box(JS_UNDEFINED);
}

Box EXPORT(newNumber)(JSContext *context, double number)
{
    return box(JS_NewNumber(context, number));
}

Box EXPORT(newString)(JSContext *context, const char *utf8)
{
    return box(JS_NewString(context, utf8));
}

Box EXPORT(newObject)(JSContext *context)
{
    return box(JS_NewObject(context));
}

Box EXPORT(newError)(JSContext *context)
{
    return box(JS_NewError(context));
}

/* With a copy of the bytes. */
Box EXPORT(newArrayBuffer)(JSContext *context, const uint8_t *bytes, size_t length)
{
    return box(JS_NewArrayBufferCopy(context, bytes, length));
}

static JSValue call_host(JSContext *context, JSValueConst this_value, int count, JSValueConst *arguments, int function,
                         JSValueConst *data)
{
    Box given = callFunction(context, count, arguments, function);
    JSValue value;

    if (!given)
        return JS_UNDEFINED;
    value = *given;
    free(given);
    return value;
}

/* A function of the host's, by the number that it is called by. */
Box EXPORT(newFunction)(JSContext *context, const char *name, int function)
{
    return box(JS_NewCFunctionData2(context, call_host, name, 0, function, 0, NULL));
}

/* NaN for what is no number and can't be made one. */
double EXPORT(toNumber)(JSContext *context, Box value)
{
    double number;

    if (!JS_ToFloat64(context, &number, *value))
        return number;
    JS_FreeValue(context, JS_GetException(context));
    return NAN;
}

/* UTF-8 that ends with a NUL, to be freed by freeCString; 0 if there is no room, or the conversion throws. */
const char *EXPORT(toCString)(JSContext *context, Box value)
{
    const char *text = JS_ToCString(context, *value);

    if (!text)
        JS_FreeValue(context, JS_GetException(context));
    return text;
}

void EXPORT(freeCString)(JSContext *context, const char *text)
{
    JS_FreeCString(context, text);
}

/* As typeof says, to be freed by freeCString. */
const char *EXPORT(typeOf)(JSContext *context, Box value)
{
    return JS_AtomToCString(context, js_operator_typeof(context, *value));
}

/* Where the bytes of an ArrayBuffer are, until anything else is called; 0 for any other value. */
/* JS_IsArrayBuffer knows nothing of those that are shared. */
static uint8_t *bufferBytes(JSContext *context, size_t *length, JSValue value)
{
    uint8_t *bytes = JS_IsObject(value) ? JS_GetArrayBuffer(context, length, value) : NULL;

    if (!bytes && JS_IsObject(value))
        JS_FreeValue(context, JS_GetException(context));
    return bytes;
}

uint8_t *EXPORT(arrayBufferBytes)(JSContext *context, Box value)
{
    size_t length;

    return bufferBytes(context, &length, *value);
}

size_t EXPORT(arrayBufferLength)(JSContext *context, Box value)
{
    size_t length;

    return bufferBytes(context, &length, *value) ? length : 0;
}

Box EXPORT(getProperty)(JSContext *context, Box object, Box key)
{
    JSAtom atom = JS_ValueToAtom(context, *key);
    JSValue value = atom == JS_ATOM_NULL ? JS_EXCEPTION : JS_GetProperty(context, *object, atom);

    JS_FreeAtom(context, atom);
    return box(value);
}

void EXPORT(setProperty)(JSContext *context, Box object, Box key, Box value)
{
    JSAtom atom = JS_ValueToAtom(context, *key);

    if (atom == JS_ATOM_NULL || JS_SetProperty(context, *object, atom, JS_DupValue(context, *value)) < 0)
        JS_FreeValue(context, JS_GetException(context));
    JS_FreeAtom(context, atom);
}

/* Promises: a JSPromiseStateEnum; of one that is settled, its result. */

int EXPORT(promiseState)(JSContext *context, Box value)
{
    return JS_PromiseState(context, *value);
}

Box EXPORT(promiseResult)(JSContext *context, Box value)
{
    return box(JS_PromiseResult(context, *value));
}

/* Exceptions. */

/* Raises a value. The result marks that for whom it is given to. */
Box EXPORT(throwValue)(JSContext *context, Box error)
{
    return box(JS_Throw(context, JS_DupValue(context, *error)));
}

/* What was raised, if a result marks that; else 0. */
Box EXPORT(takeException)(JSContext *context, Box result)
{
    return JS_IsException(*result) ? box(JS_GetException(context)) : NULL;
}

/* Running. */

/* A promise that is rejected is seen to. */
static void handled(JSContext *context, JSValueConst promise)
{
    JSPromiseData *data = JS_GetOpaque(promise, JS_CLASS_PROMISE);

    if (data->is_handled)
        return;
    track(context, promise, data->promise_result, true, NULL);
    data->is_handled = true;
}

/*
 * Runs a module, unless it has been run: its namespace if it has come to its end, and a promise if it waits for something.
 * What it fails with is raised.
 */
static JSValue run_module(JSContext *context, JSModuleDef *module)
{
    JSValue promise = JS_EvalFunction(context, JS_NewModuleValue(context, module));
    JSValue value;

    if (JS_IsException(promise))
        return promise;
    switch (JS_PromiseState(context, promise)) {
    case JS_PROMISE_FULFILLED:
        value = JS_GetModuleNamespace(context, module);
        break;
    case JS_PROMISE_REJECTED:
        handled(context, promise);
        value = JS_Throw(context, JS_PromiseResult(context, promise));
        break;
    default:
        return promise;
    }
    JS_FreeValue(context, promise);
    return value;
}

static JSValue evaluate_module(JSContext *context, const char *code, size_t bytes, const char *name, int flags)
{
    JSValue compiled = JS_Eval(context, code, bytes, name, flags | JS_EVAL_FLAG_COMPILE_ONLY);
    JSModuleDef *module;

    if (JS_IsException(compiled))
        return compiled;
    module = JS_VALUE_GET_PTR(compiled);
    /* The context has it. */
    JS_FreeValue(context, compiled);
    return run_module(context, module);
}

Box EXPORT(evaluate)(JSContext *context, const char *code, size_t bytes, const char *name, int flags)
{
    bool is_module = flags & JS_EVAL_TYPE_MODULE && !(flags & JS_EVAL_FLAG_COMPILE_ONLY);

    return box(is_module ? evaluate_module(context, code, bytes, name, flags)
                         : JS_Eval(context, code, bytes, name, flags));
}

/* Whether an iterator of a Map or a Set gives pairs. */
int EXPORT(givesEntries)(Box value)
{
    JSObject *object;

    if (!JS_IsObject(*value))
        return 0;
    object = JS_VALUE_GET_OBJ(*value);
    return (object->class_id == JS_CLASS_MAP_ITERATOR || object->class_id == JS_CLASS_SET_ITERATOR) &&
        object->u.map_iterator_data && object->u.map_iterator_data->kind == JS_ITERATOR_KIND_KEY_AND_VALUE;
}

/* A module by its name, loaded if it was not. */
static JSValue import_now(JSContext *context, const char *name)
{
    JSModuleDef *module = js_host_resolve_imported_module(context, "", name, JS_UNDEFINED);

    if (!module || js_resolve_module(context, module) < 0)
        return JS_EXCEPTION;
    return run_module(context, module);
}

Box EXPORT(importNow)(JSContext *context, const char *name)
{
    return box(import_now(context, name));
}

/* Whether the code of a module that was loaded under a name has failed. */
int EXPORT(moduleHasFailed)(JSContext *context, const char *name)
{
    JSAtom atom = JS_NewAtom(context, name);
    struct list_head *el;
    int has_failed = 0;

    list_for_each(el, &context->loaded_modules) {
        JSModuleDef *module = list_entry(el, JSModuleDef, link);

        has_failed |= module->module_name == atom && module->eval_has_exception;
    }
    JS_FreeAtom(context, atom);
    return has_failed;
}

/* Arguments in boxes. */
Box EXPORT(call)(JSContext *context, Box function, int count, Box *arguments)
{
    JSValueConst *values = alloca(count * sizeof(*values));
    int i;

    for (i = 0; i < count; i++)
        values[i] = *arguments[i];
    return box(JS_Call(context, *function, JS_UNDEFINED, count, values));
}

int EXPORT(hasJobs)(JSRuntime *runtime)
{
    return JS_IsJobPending(runtime);
}

/* Runs one: what it raised, or 0. */
Box EXPORT(runJob)(JSContext *context)
{
    JSContext *ran;

    return JS_ExecutePendingJob(context->rt, &ran) < 0 ? box(JS_GetException(context)) : NULL;
}

/* In which context asynchronous work goes on (patches/async-context.patch). */

static JSValue get_async_context(JSContext *context, JSValueConst this_value, int count, JSValueConst *arguments)
{
    return JS_DupValue(context, context->rt->async_context);
}

static void enter(JSContext *context, JSValue async_context)
{
    JSValue outer = context->rt->async_context;

    context->rt->async_context = async_context;
    JS_FreeValue(context, outer);
}

static JSValue enter_async_context(JSContext *context, JSValueConst this_value, int count, JSValueConst *arguments)
{
    enter(context, JS_DupValue(context, arguments[0]));
    return JS_UNDEFINED;
}

/* That of what runs. */
Box EXPORT(asyncContext)(JSContext *context)
{
    return box(JS_DupValue(context, context->rt->async_context));
}

/* Functions for the guest's part of the host: what tells the context that runs, and what changes it. */
Box EXPORT(asyncContextGetter)(JSContext *context)
{
    return box(JS_NewCFunction(context, get_async_context, "asyncContext", 0));
}

Box EXPORT(asyncContextSetter)(JSContext *context)
{
    return box(JS_NewCFunction(context, enter_async_context, "enterAsyncContext", 1));
}

/* What runs next is in none. */
void EXPORT(leaveAsyncContext)(JSContext *context)
{
    enter(context, JS_UNDEFINED);
}
