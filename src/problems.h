/* Telling what is wrong with a line, and whether that keeps the line from taking effect. */

/* What is left out is never so. */
#define PAJESIM__IS_STRICT(state) (PAJESIM_CHECKS && (state)->strict)
#define PAJESIM__IS_PARSER(state) (PAJESIM_CHECKS && (state)->parse_only)
#define PAJESIM__SOURCE(state) (PAJESIM_FILES ? (state)->source : 0)
#define PAJESIM__OPENING(state) (PAJESIM_FILES ? (state)->opening : 0)

static const uint8_t pajesim__severities[][1 + PAJESIM_CHECKS] = {
#if PAJESIM_CHECKS
#define PAJESIM__X(code, strict, lenient, text) {PAJESIM_##lenient, PAJESIM_##strict},
#else
#define PAJESIM__X(code, strict, lenient, text) {PAJESIM_##lenient},
#endif
    PAJESIM_PROBLEMS(PAJESIM__X)
#undef PAJESIM__X
};

PAJESIM_API const char *pajesim_problem_text(pajesim_code code)
{
#if PAJESIM_TEXTS
    static const char *const texts[] = {
#define PAJESIM__X(code, strict, lenient, text) text,
        PAJESIM_PROBLEMS(PAJESIM__X)
#undef PAJESIM__X
    };
    return (uint32_t)code < PAJESIM_E_COUNT ? texts[code] : "unknown problem";
#else
    (void)code;
    return "";
#endif
}

/* Makes a callback and minds its answer. */
#define PAJESIM__CALL(entry, argument) \
    do { \
        if (sim->callbacks->entry) \
            pajesim__answer(sim, sim->callbacks->entry(sim, argument)); \
    } while (0)

PAJESIM__INLINE void pajesim__answer(pajesim *sim, int answer)
{
    if (PAJESIM__UNLIKELY(answer > sim->answer))
        sim->answer = answer;
}

PAJESIM_API pajesim_problem pajesim_last_problem(const pajesim *sim)
{
    const pajesim__state *state = PAJESIM__CONST_STATE;
    pajesim_problem problem;
    problem.code = (pajesim_code)state->problem.code;
    problem.severity = (pajesim_severity)state->problem.severity;
    problem.text = pajesim_problem_text(problem.code);
    problem.line = state->problem.line;
    problem.column = state->problem.column;
    problem.depth = state->problem.depth;
    problem.bytes = pajesim__view(state->problem.bytes, state->problem.size);
    return problem;
}

static uint32_t pajesim__depth(const pajesim *sim);

PAJESIM__COLD void pajesim__tell(pajesim *sim, pajesim_code code, pajesim_severity severity, uint32_t column,
                                 const void *bytes, uint32_t size)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim_problem problem;
    if (severity == PAJESIM_ERROR)
        state->counts.errors++;
    else
        state->counts.warnings++;
    memset(&state->problem, 0, sizeof state->problem);
    state->problem.code = (uint8_t)code;
    state->problem.severity = (uint8_t)severity;
    state->problem.line = state->line + !state->ended;
    state->problem.column = column;
    state->problem.depth = (pajesim__length)pajesim__depth(sim);
    state->problem.size = (uint8_t)PAJESIM__MIN(size, (uint32_t)sizeof state->problem.bytes);
    if (size)
        memcpy(state->problem.bytes, bytes, state->problem.size);
    problem = pajesim_last_problem(sim);
    PAJESIM__CALL(problem, &problem);
}

static pajesim_severity pajesim__severity(const pajesim *sim, pajesim_code code)
{
    return (pajesim_severity)pajesim__severities[code][PAJESIM__IS_STRICT(PAJESIM__CONST_STATE)];
}

/* What becomes of a line. */
typedef enum pajesim__outcome {
    PAJESIM__DONE,    /* it took effect */
    PAJESIM__REFUSED, /* it did not: an error was told */
    PAJESIM__NO_ROOM, /* it did not: the arena is too small */
    PAJESIM__NOT_NOW  /* it did not: a callback stopped it */
} pajesim__outcome;

/* Something is wrong at bytes [begin, begin + size) of the line.  Answers 1 if that is an error, which is told; a
 * warning waits until the line takes effect. */
PAJESIM__COLD int pajesim__wrong_at(pajesim *sim, pajesim__line *line, pajesim_code code, uint32_t begin, uint32_t size)
{
    pajesim_severity severity = pajesim__severity(sim, code);
    if (severity == PAJESIM_ERROR) {
        pajesim__tell(sim, code, severity, begin + 1, PAJESIM__TEXT(line) + begin, size);
        return 1;
    }
    if (severity == PAJESIM_WARNING && line->warnings < sizeof line->warning / sizeof *line->warning) {
        line->warning[line->warnings].code = code;
        line->warning[line->warnings].begin = begin;
        line->warning[line->warnings].size = size;
        line->warnings++;
        sim->loud = 1;
    }
    return 0;
}

/* Where the text of a line ends, but for the blanks at its end. */
static uint32_t pajesim__text_end(const pajesim__line *line)
{
    const unsigned char *text = PAJESIM__TEXT(line);
    uint32_t end = line->size;
    while (end && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r'))
        end--;
    return end;
}

/* The same of a word. */
static int pajesim__wrong(pajesim *sim, pajesim__line *line, pajesim_code code, uint32_t word)
{
    return pajesim__wrong_at(sim, line, code, line->spans[2 * word], line->spans[2 * word + 1]);
}

static void pajesim__tell_warnings(pajesim *sim, const pajesim__line *line)
{
    uint32_t i;
    for (i = 0; i < line->warnings; i++)
        pajesim__tell(sim, line->warning[i].code, PAJESIM_WARNING, line->warning[i].begin + 1,
                      PAJESIM__TEXT(line) + line->warning[i].begin, line->warning[i].size);
}

/* The line at hand is about to take effect: keeps what it has taken from the arena, makes the `line` callback and tells
 * the warnings.  Answers 0 if it may not, and why in line->outcome; then what was taken is given up: pajesim__do_line. */
static int pajesim__ready_loud(pajesim *sim, pajesim__line *line);
