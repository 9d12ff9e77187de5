// strange-workload: some operators of strange_torch.

#include "strange_torch.h"

int main()
{
    for (int i = 0; i < 10; ++i) {
        at::RecordFunction outer(at::RecordScope::USER_SCOPE);
        outer.before("outer", -1);
        for (int k = 0; k < 3; ++k) {
            at::RecordFunction inner(at::RecordScope::FUNCTION);
            inner.before("inner", k);
        }
    }
    return 0;
}
