/* A header and a scene that may precede the bytes of an input, so that few of them have an effect: definitions of all
 * events, numbered 0 to i in the order of the format, with the fields of tests/read/prose/header.trace, and two with
 * user fields, j and k; and the containers and types of tests/read/prose/scene.trace. */
#ifndef FUZZ_SCENE_H
#define FUZZ_SCENE_H

static const char scene_header[] =
#define FIELD(name, type) "%" name " " type "\n"
#define BEGIN(number, name) "%EventDef " name " " number "\n"
#define END "%EndEventDef\n"
#define NAMED FIELD("Name", "string") FIELD("Type", "string") FIELD("Alias", "string")
#define PLACED FIELD("Time", "date") FIELD("Type", "string") FIELD("Container", "string")
    BEGIN("0", "PajeDefineContainerType") NAMED END
    BEGIN("1", "PajeDefineStateType") NAMED END
    BEGIN("2", "PajeDefineEventType") NAMED END
    BEGIN("3", "PajeDefineVariableType") NAMED END
    BEGIN("4", "PajeDefineLinkType") FIELD("Name", "string") FIELD("Type", "string")
        FIELD("StartContainerType", "string") FIELD("EndContainerType", "string") FIELD("Alias", "string") END
    BEGIN("5", "PajeDefineEntityValue") NAMED FIELD("Color", "color") END
    BEGIN("6", "PajeCreateContainer") FIELD("Time", "date") FIELD("Name", "string") FIELD("Type", "string")
        FIELD("Container", "string") FIELD("Alias", "string") END
    BEGIN("7", "PajeDestroyContainer") FIELD("Time", "date") FIELD("Name", "string") FIELD("Type", "string") END
    BEGIN("8", "PajeSetState") PLACED FIELD("Value", "string") END
    BEGIN("9", "PajePushState") PLACED FIELD("Value", "string") END
    BEGIN("a", "PajePopState") PLACED END
    BEGIN("b", "PajeResetState") PLACED END
    BEGIN("c", "PajeNewEvent") PLACED FIELD("Value", "string") END
    BEGIN("d", "PajeSetVariable") PLACED FIELD("Value", "double") END
    BEGIN("e", "PajeAddVariable") PLACED FIELD("Value", "double") END
    BEGIN("f", "PajeSubVariable") PLACED FIELD("Value", "double") END
    BEGIN("g", "PajeStartLink") PLACED FIELD("StartContainer", "string") FIELD("Value", "string")
        FIELD("Key", "string") END
    BEGIN("h", "PajeEndLink") PLACED FIELD("EndContainer", "string") FIELD("Value", "string") FIELD("Key", "string") END
    BEGIN("i", "PajeTraceFile") FIELD("Container", "string") FIELD("Type", "string") FIELD("Filename", "string") END
    BEGIN("j", "PajePushState") PLACED FIELD("Value", "string") FIELD("Why", "string") END
    BEGIN("k", "PajeEndLink") PLACED FIELD("EndContainer", "string") FIELD("Value", "string") FIELD("Key", "string")
        FIELD("Size", "int") FIELD("Note", "string") END;

static const char scene_body[] =
    "0 Machine 0 M\n0 Process M P\n1 \"Process State\" P S\n1 Mode P D\n3 Memory P V\n2 Mark P E\n"
    "4 Message M P P L\n5 Running S R \"0 1 0\"\n5 Waiting S W \"1 0 0\"\n5 Hit E H \"1 1 0\"\n5 Letter L C \"0 0 1\"\n"
    "6 0 machine M 0 m\n6 0 first P m p1\n6 0 second P m p2\n";

#undef FIELD
#undef BEGIN
#undef END
#undef NAMED
#undef PLACED

#endif
