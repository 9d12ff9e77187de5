#pragma once
// Names of the shared libraries that an ELF file asks for (DT_NEEDED of its dynamic section). Thread: any.

#include <QByteArray>
#include <QByteArrayList>
#include <QString>

/// Empty if the file is no 64-bit ELF file with a dynamic section.
[[nodiscard]] QByteArrayList neededLibraries(const QString& path);
