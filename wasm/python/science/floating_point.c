/* WebAssembly has no floating-point status. What code raises by itself is kept here, so that numpy warns of integer
 * division by zero, casts and the like; what arithmetic alone would raise stays unknown. */

static int raised;

int feclearexcept(int which)
{
    raised &= ~which;
    return 0;
}

int feraiseexcept(int which)
{
    raised |= which;
    return 0;
}

int fetestexcept(int which)
{
    return raised & which;
}
