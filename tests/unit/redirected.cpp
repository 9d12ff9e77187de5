#include "redirected.h"

int redirectedTarget(int value)
{
    return value + 1;
}

int callThroughTable(int value)
{
    return redirectedTarget(value);
}
